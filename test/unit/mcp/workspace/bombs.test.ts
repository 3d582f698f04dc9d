/** Files that take all the memory or time there is: none does. */
import { symlinkSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Hands, handsOn } from '../../../support/workspace-tools.js';

let hands: Hands;

beforeEach(async () => {
  hands = await handsOn();
  hands.put('a.txt', 'needle');
});

describe('searches', () => {
  test.each<[string, Record<string, string>?]>([
    ['list'],
    ['find', { pattern: '*' }],
    ['grep', { pattern: 'needle' }],
  ])(
    '%s: what git ignores stands in a file without end → ripgrep ends, and it is said',
    async (name, args = {}) => {
      hands.put('.gitignore', '');
      truncateSync(join(hands.workspace, '.gitignore'), 3 * 2 ** 30);
      expect(await hands.call(name, args)).toMatch(/memory allocation/);
    },
  );

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

  test('grep: a line of one endless character → its beginning, and time for others', async () => {
    hands.put('b.txt', `needle a${'\u0301'.repeat(12_000_000)}`);
    const { user } = process.cpuUsage();
    const said = await hands.call('grep', { pattern: 'needle', path: 'b.txt' });
    expect(said.length).toBeLessThan(500);
    expect(process.cpuUsage().user - user).toBeLessThan(2_000_000);
  });
});
