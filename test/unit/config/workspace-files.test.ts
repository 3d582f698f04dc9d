/** What lies in a folder, by ripgrep: files that say what is ignored may be a stranger's. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { filesIn } from '../../../src/config/workspace-files.js';

let workspace: string;
const put = (path: string, text = '') => writeFileSync(join(workspace, path), text);

beforeEach(() => {
  workspace = mkdtempSync(join(tmpdir(), 'files-'));
  mkdirSync(join(workspace, 'sub'));
  put('a.txt', 'one');
  put('.hidden');
  put('sub/b.txt');
});

test('filesIn: names and sizes, sorted → without what is hidden, or what git ignores', async () => {
  put('.gitignore', 'sub/\n');
  put('.ignore', 'a.txt\n');
  const { files, isCut } = await filesIn(workspace);
  expect(files.map(({ path, bytes }) => [path, bytes])).toEqual([['a.txt', 3]]);
  expect(isCut).toBe(false);
});

test.each<[string, (file: string) => void]>([
  ['a file without end', file => [writeFileSync(file, ''), truncateSync(file, 3 * 2 ** 30)]],
  ['a link to a device without end', file => symlinkSync('/dev/zero', file)],
  ['a pipe', file => execFileSync('sh', ['-c', 'mkfifo "$0"', file])],
])('filesIn: what git ignores stands in %s → ripgrep ends, and it is said', async (_, make) => {
  make(join(workspace, '.gitignore'));
  expect(await filesIn(workspace)).toMatchObject({ isCut: true });
});
