/** What strong models do by habit, and files as they are: other encodings, other ends of lines. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Hands, handsOn } from '../../support/workspace-tools.js';

let hands: Hands;
beforeEach(async () => {
  hands = await handsOn();
  hands.put('src/config.ts', 'one\ntwo\nthree\n');
  hands.put('src/deep/other.ts', 'needle(1)\nneedle(2)\n');
});

const NOTEBOOK = JSON.stringify({
  cells: [
    { cell_type: 'markdown', source: ['# Title\n', 'text'] },
    {
      cell_type: 'code',
      source: 'print(1)',
      outputs: [{ text: ['1\n'] }, { data: { 'image/png': 'AAAA', 'text/plain': '<Figure>' } }],
    },
  ],
});

describe('WK17: what models do by habit', () => {
  test.each<[string, object, string]>([
    ['read', { path: 'src/confg.ts' }, 'failed: src/confg.ts does not exist. Nearest: src/config.ts.'],
    ['read', { path: 'config.ts' }, 'failed: config.ts does not exist. Nearest: src/config.ts.'],
    [
      'edit',
      { path: 'config.ts', old_string: 'a', new_string: 'b' },
      'failed: config.ts does not exist. Nearest: src/config.ts.',
    ],
    ['list', { path: 'source/deep' }, 'failed: source/deep does not exist. Nearest: src/deep.'],
    ['grep', { pattern: 'x', path: 'scr' }, 'failed: scr does not exist.'],
    ['move', { from: 'other.ts', to: 'x' }, 'failed: other.ts does not exist. Nearest: src/deep/other.ts.'],
    ['read', { path: 'src/deep' }, 'src/deep/ (1 file)\nother.ts  20 B'],
    ['list', { path: 'src/config.ts' }, 'failed: src/config.ts is a file, not a folder. Use read.'],
    ['read', { path: 'src/config.ts', offset: -2 }, 'two\nthree\n[Lines 2 to 3 of 3.]'],
    ['read', { path: 'src/config.ts', offset: -20 }, 'one\ntwo\nthree'],
    ['grep', { pattern: 'needle(?=\\(2)' }, 'src/deep/other.ts:2: needle(2)'],
    [
      'find',
      { pattern: '^(?!.*deep).*\\.ts$' },
      'No file matches. What git ignores was left out. The pattern is a glob, not a regular expression.',
    ],
    ['compute', { code: 'const x = await Promise.resolve(5);\nx + 1' }, '6'],
    ['compute', { code: 'await read("src/config.ts")' }, 'one\ntwo\nthree\n'],
    ['compute', { code: 'const x = await Promise.resolve(5); return x' }, '5'],
  ])('%s %j', async (name, args, expected) => {
    expect(await hands.call(name, { ...args })).toBe(expected);
  });

  test('a path from the root of another machine → refused, with the root of this one', async () => {
    expect(await hands.call('read', { path: '/workspace/src/config.ts' })).toBe(
      `failed: /workspace/src/config.ts is outside of the workspace, ${hands.workspace}. Only what is inside can be used: give paths from there on.`,
    );
  });

  test('a missing file beside one that permissions.deny names → that one is not named', async () => {
    const other = await handsOn({ workspace: hands.workspace, denied: async () => ['read(src/config.ts)'] });
    expect(await other.call('read', { path: 'confg.ts' })).toBe('failed: confg.ts does not exist.');
  });

  test('a word in an edit that means nothing here → refused, and nothing is changed', async () => {
    const edits = [{ oldText: 'one', newText: '1', line: 1 }];
    expect(await hands.call('edit', { path: 'src/config.ts', edits })).toBe(
      'failed: Nothing was changed. edits: unknown "line"; known: oldText, newText, all.',
    );
    expect(hands.get('src/config.ts')).toBe('one\ntwo\nthree\n');
  });

  test('a notebook → its cells, without pictures', async () => {
    hands.put('a.ipynb', NOTEBOOK);
    const cells = `[cell 1, markdown]
# Title
text
[cell 2, code]
print(1)
[output]
1
[output]
<Figure>
[image/png]
[A notebook as its cells. edit and grep see its JSON.]`;
    expect(await hands.call('read', { path: 'a.ipynb' })).toBe(cells);
    expect(await hands.call('read', { path: 'a.ipynb', offset: 4, limit: 2 })).toBe(
      '[cell 2, code]\nprint(1)\n[Go on with offset 6.]',
    );
    hands.put('b.ipynb', 'not yet');
    expect(await hands.call('read', { path: 'b.ipynb' })).toBe('not yet');
  });
});

test('WK18: a name that is no UTF-8 → listed, and said to be out of reach', async () => {
  writeFileSync(Buffer.concat([Buffer.from(`${hands.workspace}/gr`), Buffer.from([0xfc])]), '');
  expect(await hands.call('list', { depth: 1 })).toMatch(
    /gr\ufffd {2}.*\n.*\n?.*\[A name with "\ufffd" is not UTF-8: only a command/,
  );
});

const BIG = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16();

describe('WK16: files that are not UTF-8, and ends of lines', () => {
  test('grep: the end of a line in a file of Windows → found', async () => {
    hands.put('dos.txt', 'endx\r\nno\r\nx\r\n');
    expect(await hands.call('grep', { pattern: 'x$' })).toBe('dos.txt:1: endx\ndos.txt:3: x');
    expect(await hands.call('grep', { pattern: '^x$', path: 'dos.txt' })).toBe('dos.txt:3: x');
  });

  test.each<[string, Buffer, Buffer]>([
    [
      'Latin-1',
      Buffer.from('gr\xfc\xdfe\nzwei\n', 'latin1'),
      Buffer.from('gr\xfc\xdfe\ndr\xe9i\n', 'latin1'),
    ],
    [
      'Windows-1252',
      Buffer.from('gr\xfc\xdfe\nzwei\n\x80', 'latin1'),
      Buffer.from('gr\xfc\xdfe\ndr\xe9i\n\x80', 'latin1'),
    ],
    ['UTF-16', Buffer.from('\ufeffgrüße\nzwei\n', 'utf16le'), Buffer.from('\ufeffgrüße\ndréi\n', 'utf16le')],
    ['UTF-16, big end first', BIG('grüße\nzwei\n'), BIG('grüße\ndréi\n')],
  ])('%s: read, grep, compute and edit → the same text, and the encoding stays', async (_, before, after) => {
    hands.put('f.txt', before);
    expect(await hands.call('read', { path: 'f.txt', limit: 2 })).toMatch(/^grüße\nzwei/);
    expect(await hands.call('grep', { pattern: 'rüß' })).toBe('f.txt:1: grüße');
    expect(await hands.call('grep', { pattern: 'rüß', path: 'f.txt' })).toBe('f.txt:1: grüße');
    expect(await hands.call('compute', { code: 'readLines("f.txt")[0]' })).toBe('grüße');
    expect(
      await hands.call('edit', { path: 'f.txt', edits: [{ oldText: 'zwei', newText: 'dréi' }] }),
    ).toContain('2: dréi');
    expect(readFileSync(join(hands.workspace, 'f.txt'))).toEqual(after);
  });

  test('an edit with a character that the file can not have → refused, and nothing is changed', async () => {
    hands.put('f.txt', Buffer.from('gr\xfcn', 'latin1'));
    expect(await hands.call('edit', { path: 'f.txt', edits: [{ oldText: 'gr', newText: '中' }] })).toMatch(
      /^failed: Nothing was changed\. The file is in Windows-1252, which has no "中"/,
    );
    expect(await hands.call('read', { path: 'f.txt' })).toBe('grün');
  });

  test('UTF-8 with a damaged byte → read as UTF-8, and said; not edited', async () => {
    hands.put('f.txt', Buffer.concat([Buffer.from('grün '), Buffer.from([0xff])]));
    expect(await hands.call('read', { path: 'f.txt' })).toMatch(/^grün \ufffd\n\[Not all of it is text/);
    expect(await hands.call('compute', { code: 'read("f.txt")' })).toBe('grün \ufffd');
    expect(await hands.call('edit', { path: 'f.txt', edits: [{ oldText: 'gr', newText: 'x' }] })).toMatch(
      /^failed: .*cannot be edited/,
    );
  });
});
