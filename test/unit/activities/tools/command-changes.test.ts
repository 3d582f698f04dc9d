/** The files that changed while a command ran. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { changesTeller, withChanges } from '../../../../src/activities/tools/command-changes.js';
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

/** Commands in a folder whose files are `files`; `lists`: how often it was listed. */
function inFolder() {
  const files: Record<string, string> = { 'a.txt': 'old' };
  const list = vi.fn(async () => ({ entries: { ...files }, ignored: null, isCut: false }));
  const tell = changesTeller(list);
  const call = (args: Record<string, unknown>, work: () => void | Promise<void>) =>
    tell({ idempotent: false }, { args, workspace: '/w' }, async () => {
      await work();
      return done;
    });
  const changes =
    (...names: string[]) =>
    () => {
      for (const name of names) files[name] = `${files[name] ?? ''}new`;
    };
  return { list, changes, command: call.bind(null, { command: 'x' }), write: call.bind(null, { path: 'x' }) };
}

const told = ({ files }: CallToolResult) => [...(files?.changed ?? []), ...(files?.added ?? [])];

test('a command right after another → one list between them; later, or after another call → one of its own', async () => {
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  onTestFinished(() => void vi.restoreAllMocks());
  const { list, changes, command, write } = inFolder();
  expect(told(await command(changes('a.txt')))).toEqual(['a.txt']);
  expect(told(await command(changes('b.txt')))).toEqual(['b.txt']);
  expect(list).toHaveBeenCalledTimes(3);
  await write(changes('c.txt'));
  expect(told(await command(changes('d.txt')))).toEqual(['d.txt']);
  expect(list).toHaveBeenCalledTimes(5);
  changes('e.txt')();
  now = 1_000;
  expect(told(await command(changes('f.txt')))).toEqual(['f.txt']);
  expect(list).toHaveBeenCalledTimes(7);
});

test('commands at the same time → who begins while a list is made shares the next', async () => {
  const { list, changes, command } = inFolder();
  let open = () => {};
  const allBegun = new Promise<void>(resolve => {
    open = resolve;
  });
  let begun = 0;
  const all = [1, 2, 3].map(() =>
    command(async () => {
      begun += 1;
      if (begun === 3) open();
      await allBegun;
      changes('a.txt')();
    }),
  );
  for (const result of await Promise.all(all)) expect(told(result)).toEqual(['a.txt']);
  expect(list).toHaveBeenCalledTimes(4);
});

test('a call that writes while the list after a command is made → the next command has a list of its own', async () => {
  const { list, changes, command, write } = inFolder();
  await command(() => {
    list.mockImplementationOnce(async () => {
      await write(changes('b.txt'));
      return { entries: { 'a.txt': 'old' }, ignored: null, isCut: false };
    });
  });
  expect(told(await command(changes('c.txt')))).toEqual(['c.txt']);
});
