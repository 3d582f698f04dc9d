import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startRemedy } from '../../../packages/stack/dev-server.js';
import { writeJson } from '../../../src/shared/local/json-file.js';

let dir = '';
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'dev-server-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

test.each([
  ['error="SaveClusterMetadata operation failed. Error: database or disk is full (13)"', 'make room'],
  ['write /home/temporal.db: no space left on device', 'make room'],
  ['unable to create SQLite admin DB: database is locked (5) (SQLITE_BUSY)', 'Another process has'],
  ['error="attempt to write a readonly database (8)"', 'writable'],
])(
  'local server: it can not start, and says %s → what helps, and no word of moving the database away',
  (log, says) => {
    const remedy = startRemedy(log, '/home/temporal.db');
    expect(remedy).toContain(says);
    expect(remedy).not.toContain('move');
  },
);

test('local server: it can not start, and its log says nothing of these → the database may be damaged', () => {
  expect(startRemedy('file is not a database (26)', '/home/temporal.db')).toContain(
    'move /home/temporal.db away',
  );
});

test('a file of the stack: one that can not be written → leaves no part of it behind', () => {
  const path = join(dir, 'stack.json');
  // A folder, which no file can be renamed to.
  mkdirSync(path);
  expect(() => writeJson(path, { a: 1 })).toThrow();
  expect(readdirSync(dir)).toEqual(['stack.json']);
});
