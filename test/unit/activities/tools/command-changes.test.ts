/** The files that changed while a command ran. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { withChanges } from '../../../../src/activities/tools/command-changes.js';
import type { CallToolResult } from '../../../../src/activities/types.js';

const done: CallToolResult = { ending: 'executed', content: [], isError: false, durationMs: 1 };

/** What a call tells that does `work` in a folder with a.txt and b.txt, where *.log is ignored. */
function filesAfter(
  work: (dir: string) => void,
  { args = { command: 'x' } as object, idempotent = false } = {},
) {
  const dir = mkdtempSync(join(tmpdir(), 'command-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  for (const name of ['a.txt', 'b.txt']) writeFileSync(join(dir, name), name);
  writeFileSync(join(dir, '.gitignore'), '*.log\n');
  const call = vi.fn(async () => {
    work(dir);
    return done;
  });
  return withChanges({ idempotent }, { args: { ...args }, workspace: dir }, call);
}

const put = (name: string) => (dir: string) => writeFileSync(join(dir, name), 'new');

test('a command → the files that changed, came and went while it ran, without ignored ones', async () => {
  const result = await filesAfter(dir => {
    for (const name of ['a.txt', '.hidden', 'x.log']) put(name)(dir);
    rmSync(join(dir, 'b.txt'));
  });
  expect(result).toEqual({
    ...done,
    files: { changed: ['a.txt'], added: ['.hidden'], gone: ['b.txt'], more: 0 },
  });
});

test('a command that changes many files → the first twenty, and the number of the others', async () => {
  const result = await filesAfter(dir => {
    for (let at = 10; at < 80; at++) put(`new-${at}.txt`)(dir);
    put('a.txt')(dir);
  });
  expect(result.files?.changed).toEqual(['a.txt']);
  expect([result.files?.added.length, result.files?.more]).toEqual([19, 51]);
});

test.each([
  ['changes nothing', () => undefined, {}],
  ['names its files', put('a.txt'), { args: { path: 'a.txt' } }],
  ['only reads', put('a.txt'), { idempotent: true }],
])('a call that %s → nothing is told of files', async (_, work, about) => {
  expect(await filesAfter(work, about)).toEqual(done);
});

test('a folder that can not be listed → the command runs all the same', async () => {
  const call = async () => done;
  const args = { command: 'x' };
  expect(await withChanges({ idempotent: false }, { args, workspace: '/nowhere' }, call)).toEqual(done);
});
