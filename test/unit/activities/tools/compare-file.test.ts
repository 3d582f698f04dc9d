import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { editFault } from '../../../../packages/workspace-tools/files/edit.js';
import { createCompareFile } from '../../../../src/activities/check-call.js';
import { readOldContent } from '../../../../src/config/old-content.js';

let root: string;
let workspace: string;

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'compare-')));
  workspace = join(root, 'work');
  mkdirSync(join(workspace, 'sub'), { recursive: true });
  writeFileSync(join(root, 'secret.txt'), 'secret');
  writeFileSync(join(workspace, 'a.txt'), 'one\ntwo\n');
  writeFileSync(join(workspace, 'bytes'), Buffer.from([0xff, 0xfe, 0]));
  writeFileSync(join(workspace, 'full'), 'x'.repeat(256 * 1_024));
  writeFileSync(join(workspace, 'large'), 'x'.repeat(256 * 1_024 + 1));
  symlinkSync(root, join(workspace, 'out'));
  symlinkSync(join(root, 'nowhere.txt'), join(workspace, 'dangling'));
  symlinkSync('a.txt', join(workspace, 'inner'));
  execFileSync('sh', ['-c', 'mkfifo "$0"', join(workspace, 'pipe')]);
});
afterAll(() => rmSync(root, { recursive: true }));

const compare = (path: string, content: string, byQuery = false) => {
  const given = { path, content };
  const activity = createCompareFile({
    readArguments: async () => given,
    openWorkspace: async () => workspace,
    readOld: readOldContent,
    editFault: (at, args) => editFault({ workspace: at }, args),
  });
  return activity({ callId: 'c', workspace, ...(byQuery ? {} : { arguments: given }) });
};

const UNREAD = { kind: 'unread' };

test.each<[string, string, unknown]>([
  [
    'a file of the workspace → what changes',
    'a.txt',
    { kind: 'changed', diff: '@@ -1,2 +1,2 @@\n one\n-two\n+2' },
  ],
  ['a link within the workspace → what it leads to', 'inner', { kind: 'changed' }],
  ['a file that is not there → new', 'new.txt', { kind: 'new', diff: '@@ -0,0 +1,2 @@\n+one\n+2' }],
  ['a file below folders that are not there → new', 'b/c/new.txt', { kind: 'new' }],
  ['as large as is read → read', 'full', { kind: 'changed' }],
  ['larger → not read', 'large', UNREAD],
  ['no text → not read', 'bytes', UNREAD],
  ['a folder → not read', 'sub', UNREAD],
  ['a pipe → not read, and not waited for', 'pipe', UNREAD],
  ['outside of the workspace → not read', '../secret.txt', UNREAD],
  ['outside, by a link → not read', 'out/secret.txt', UNREAD],
  ['outside, and not there → not said to be new', 'out/new.txt', UNREAD],
  ['a link to what is not there → not said to be new', 'dangling', UNREAD],
  ['below a file → not read', 'a.txt/b', UNREAD],
])('compareFile: %s (PR8)', async (_, path, expected) => {
  expect(await compare(path, 'one\n2\n')).toMatchObject(expected as object);
});

test('compareFile: the same content → said; large arguments → read by query', async () => {
  expect(await compare('a.txt', 'one\ntwo\n', true)).toEqual({ kind: 'same' });
});

test('compareFile: a change that is long, in texts with nothing in common → cut', async () => {
  const content = Array.from({ length: 20_000 }, (_, line) => `line ${line}`).join('\n');
  const compared = await compare('a.txt', content);
  expect('diff' in compared && compared.diff.length).toBeLessThan(4_010);
});

test.each([
  ['that has its place → nothing to say', { oldText: 'two', newText: '2' }, UNREAD],
  [
    'that has none → why',
    { oldText: 'tow', newText: '2' },
    { kind: 'fails', why: expect.stringMatching(/^Nothing was changed. oldText is not in the file/) },
  ],
])('SE9 compareFile: an edit %s, and the file stays as it is', async (_, edit, expected) => {
  const activity = createCompareFile({
    readArguments: async () => ({}),
    openWorkspace: async () => workspace,
    readOld: readOldContent,
    editFault: (at, args) => editFault({ workspace: at }, args),
  });
  const before = readFileSync(join(workspace, 'a.txt'), 'utf8');
  expect(await activity({ callId: 'c', workspace, arguments: { path: 'a.txt', edits: [edit] } })).toEqual(
    expected,
  );
  expect(readFileSync(join(workspace, 'a.txt'), 'utf8')).toBe(before);
});
