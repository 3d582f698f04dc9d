/** The folders of src as rooms: which imports which. Files that stand in src itself are doors: no room imports them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { expect, test } from 'vitest';

const SRC = new URL('../../src', import.meta.url).pathname;
const IMPORT = /(?:from|import\() ?'(\.[^']+)'/g;

test('rooms: each pair of folders → imports go one way only', () => {
  const ways = new Set<string>();
  for (const file of readdirSync(SRC, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts')) continue;
    for (const [, to = ''] of readFileSync(join(SRC, file), 'utf8').matchAll(IMPORT)) {
      ways.add(`${roomOf(file)} → ${roomOf(normalize(join(file, '..', to)))}`);
    }
  }
  const both = [...ways].filter(way => {
    const [from, to] = way.split(' → ');
    return from !== to && ways.has(`${to} → ${from}`);
  });
  expect(ways.size).toBeGreaterThan(30);
  expect(both).toEqual([]);
  expect([...ways].filter(way => way.endsWith(`→ ${DOORS}`))).toEqual([`${DOORS} → ${DOORS}`]);
});

const DOORS = 'doors';
/** What the command line is made of: the library beside it, `client`, knows nothing of it. */
const COMMAND = /^client\/(verbs|session)\//;

function roomOf(file: string): string {
  if (COMMAND.test(file)) return 'command';
  return file.includes('/') ? (file.split('/')[0] ?? '') : DOORS;
}
