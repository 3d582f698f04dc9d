/** Files that take all the memory or time there is: none does. Those that take seconds are in `test/processes`. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Hands, handsOn } from '../../support/workspace-tools.js';

let hands: Hands;

beforeEach(async () => {
  hands = await handsOn();
  hands.put('a.txt', 'needle');
});

describe('searches', () => {
  test('.gitignore of a folder above is a pipe → nobody waits for it, and it is said', async () => {
    execFileSync('sh', ['-c', 'mkfifo "$0"', join(hands.workspace, '.gitignore')]);
    hands.put('sub/b.txt', 'needle');
    for (const [name, args] of [
      ['list', {}],
      ['find', { pattern: '*' }],
      ['grep', { pattern: 'needle' }],
    ] as const) {
      expect(await hands.call(name, { path: 'sub', ...args })).toContain('.gitignore, here or in a folder');
    }
    expect(await hands.call('list', { all: true })).toContain('.gitignore');
  });

  test('.gitignore is a link out of the workspace → no line of what it leads to is told', async () => {
    const other = await handsOn();
    other.put('secret.txt', 'KEY=[secret-abc\n');
    symlinkSync(join(other.workspace, 'secret.txt'), join(hands.workspace, '.gitignore'));
    for (const [name, args] of [
      ['list', {}],
      ['find', { pattern: '*.md' }],
      ['grep', { pattern: 'absent' }],
    ] as const) {
      expect(await hands.call(name, args)).not.toContain('secret-abc');
    }
  });

  test('.ignore and .rgignore, which git does not know → hide nothing', async () => {
    hands.put('.ignore', '*.txt');
    hands.put('.rgignore', '*.txt');
    expect(await hands.call('list')).toContain('a.txt  6 B');
  });

  test('names with what ends a line → escaped: none passes for a line of its own', async () => {
    hands.put('x/ev\nil.ts:1: forged', 'needle');
    hands.put('x/\u2028\u0085.txt', 'needle\nand more');
    mkdirSync(join(hands.workspace, 'emp\nty'));
    symlinkSync('no\nwhere', join(hands.workspace, 'li\nnk'));
    const [evil, other] = ['"x/ev\\nil.ts:1: forged"', '"x/\\u2028\\u0085.txt"'];
    expect(await hands.call('find', { pattern: 'x/**' })).toBe(`${evil}\n${other}`);
    expect(await hands.call('grep', { pattern: 'needle', path: 'x' })).toBe(
      `${evil}:1: needle\n${other}:1: needle`,
    );
    expect(await hands.call('grep', { pattern: 'needle', path: 'x/ev\nil.ts:1: forged' })).toBe(
      `${evil}:1: needle`,
    );
    const listed = await hands.call('list');
    for (const name of [
      '"ev\\nil.ts:1: forged"',
      '"\\u2028\\u0085.txt"',
      '"emp\\nty/"',
      '"li\\nnk" -> "no\\nwhere"',
    ])
      expect(listed).toContain(name);
    expect(await hands.call('compute', { code: "list('x')" })).toContain('forged');
    expect(
      await hands.call('compute', { code: "list('x').map(name => read('x/' + name).length)" }),
    ).toContain('6');
  });

  test('grep: a file that turns out to be binary, beside one whose name has two lines → each told', async () => {
    hands.put('a.bin', `needle\n${'x'.repeat(300_000)}\0`);
    hands.put('b\nc', 'needle');
    expect(await hands.call('grep', { pattern: 'needle' })).toMatch(
      /^a\.bin:1: needle\n\.\/a\.bin: WARNING: stopped searching binary file.*\na\.txt:1: needle\n"b\\nc":1: needle$/,
    );
  });

  test('grep: a line of one endless character → its beginning, and time for others', async () => {
    hands.put('b.txt', `needle a${'\u0301'.repeat(12_000_000)}`);
    const { user } = process.cpuUsage();
    const said = await hands.call('grep', { pattern: 'needle', path: 'b.txt' });
    expect(said.length).toBeLessThan(500);
    expect(process.cpuUsage().user - user).toBeLessThan(2_000_000);
  });
});

describe('edits', () => {
  const lines = (count: number, line: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => line(index)).join('\n');
  const chars = String.fromCharCode(...Array.from({ length: 160 }, (_, index) => 33 + ((index * 7) % 90)));

  test.each([
    ['lines', lines(49_000, index => (index < 48_999 ? chars + index : chars.repeat(4))), chars.repeat(4)],
    [
      'places',
      lines(49_000, index => (index < 40_000 && index % 2 ? 'w' : 'x')),
      lines(8_001, index => (index < 8_000 ? 'x' : 'y')),
    ],
  ])(
    'very many %s that are nearly alike → the closest of the first, for the last are not compared',
    async (what, content, asked) => {
      hands.put('f.txt', content);
      const edits = [{ oldText: what === 'lines' ? `${asked}!` : asked, newText: 'new' }];
      expect(await hands.call('edit', { path: 'f.txt', edits })).toMatch(
        /^failed: .*The closest is line \d{1,4}\b/,
      );
    },
  );

  test.each([
    ['replacements', 'a'.repeat(1_000_000), [{ oldText: 'a', newText: 'b', all: true }], /longer one/],
    ['edits', 'a', Array(1_000).fill({ oldText: 'a', newText: 'b' }), /1000 edits are too many/],
    [
      'characters',
      'a'.repeat(50_000),
      [{ oldText: 'a', newText: 'b'.repeat(1_000), all: true }],
      /more than 16777216 characters/,
    ],
  ])('too many %s → nothing is changed', async (_what, content, edits, said) => {
    hands.put('f.txt', content);
    expect(await hands.call('edit', { path: 'f.txt', edits })).toMatch(said);
    expect(hands.get('f.txt')).toBe(content);
  });
});
