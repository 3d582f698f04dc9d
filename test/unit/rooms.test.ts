/** The folders of src as they are on disk: few rooms, arrows that go one way, and no folder that nobody can take in. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { expect, test } from 'vitest';

const SRC = new URL('../../src', import.meta.url).pathname;
const IMPORT = /(?:from|import\() ?'(\.[^']+)'/g;
const MOST_ROOMS = 12;
const MOST_FILES = 15;

const entries = readdirSync(SRC, { recursive: true, withFileTypes: true });
const folders = entries
  .filter(entry => entry.isDirectory())
  .map(({ parentPath, name }) => join(parentPath, name));
const rooms = readdirSync(SRC, { withFileTypes: true })
  .filter(entry => entry.isDirectory())
  .map(({ name }) => name);

/** For each room the rooms that its files import. The files in src itself are doors: `''`. */
const uses = new Map<string, Set<string>>(['', ...rooms].map(room => [room, new Set()]));
for (const file of entries.filter(({ name }) => name.endsWith('.ts'))) {
  const path = join(file.parentPath, file.name).slice(SRC.length + 1);
  for (const [, to = ''] of readFileSync(join(SRC, path), 'utf8').matchAll(IMPORT)) {
    uses.get(roomOf(path))?.add(roomOf(normalize(join(path, '..', to))));
  }
}

function roomOf(path: string): string {
  return path.includes('/') ? (path.split('/')[0] ?? '') : '';
}

/** What remains when rooms that use no remaining room are taken away, again and again: the rooms of circles. */
function inCircles(): string[] {
  let left = [...uses.keys()];
  for (;;) {
    const next = left.filter(room => left.some(other => other !== room && uses.get(room)?.has(other)));
    if (next.length === left.length) return left;
    left = next;
  }
}

test('rooms: the folders of src → at most twelve, and their imports go one way', () => {
  expect(rooms.length).toBeLessThanOrEqual(MOST_ROOMS);
  expect(uses.get('workflows')).toContain('core');
  expect(inCircles()).toEqual([]);
});

test('rooms: core → imports nothing but itself; doors → nobody imports them but doors', () => {
  expect([...(uses.get('core') ?? [])]).toEqual(['core']);
  expect(rooms.filter(room => uses.get(room)?.has(''))).toEqual([]);
});

test('folders: each below src → at most fifteen files', () => {
  const full = folders.filter(
    folder =>
      readdirSync(folder, { withFileTypes: true }).filter(entry => entry.isFile()).length > MOST_FILES,
  );
  expect(full.map(folder => folder.slice(SRC.length + 1))).toEqual([]);
});
