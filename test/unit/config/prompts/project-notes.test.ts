import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, realpath, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { jsonBytes } from '../../../../src/base/json/json.js';
import { readProjectNotes } from '../../../../src/config/prompts/project-notes.js';
import { PROJECT_NOTES_BYTES } from '../../../../src/run/agents/project-notes.js';

let dir: string;
let workspace: string;
let file: string;

beforeEach(async () => {
  dir = await realpath(await mkdtemp(join(tmpdir(), 'steersman-notes-')));
  workspace = join(dir, 'work');
  file = join(workspace, 'AGENTS.md');
  await mkdir(workspace);
});

test('project notes: a file of the workspace → its text, whole', async () => {
  await writeFile(file, '\uFEFF# Shop\r\nPrices are in cents.\n');
  expect(await readProjectNotes(workspace)).toEqual({
    notes: { text: '# Shop\nPrices are in cents.\n', isWhole: true },
    warnings: [],
  });
});

test.each([
  ['ASCII', 'x'.repeat(40_000)],
  ['characters of three bytes, in the midst of one', `x${'价'.repeat(20_000)}`],
  ['control characters, which JSON writes with six', '\u0001'.repeat(20_000)],
])('project notes: a long file, %s → its beginning within the bound, and a warning', async (_what, text) => {
  await writeFile(file, text);
  const { notes, warnings } = await readProjectNotes(workspace);
  expect(notes?.isWhole).toBe(false);
  expect(text.startsWith(notes?.text ?? '-')).toBe(true);
  expect(jsonBytes(notes?.text)).toBeGreaterThan(PROJECT_NOTES_BYTES * 0.95);
  expect(jsonBytes(notes?.text)).toBeLessThanOrEqual(PROJECT_NOTES_BYTES + 2);
  expect(warnings.join()).toContain('first 16 KB');
});

test.each<[string, () => Promise<unknown>, string]>([
  ['no file', async () => {}, 'is not there'],
  ['an empty file', () => writeFile(file, ' \n'), 'is empty'],
  ['a folder', () => mkdir(file), 'cannot be read (not a file)'],
  [
    'a pipe, which would never end',
    async () => execFileSync('sh', ['-c', 'mkfifo "$0"', file]),
    'cannot be read (not a file)',
  ],
  ['a link that leads nowhere', () => symlink(join(workspace, 'gone'), file), 'is not there'],
])('project notes: %s → none, and a warning that says why', async (_what, make, why) => {
  await make();
  const { notes, warnings } = await readProjectNotes(workspace);
  expect(notes).toBeNull();
  expect(warnings).toEqual([`The workspace's AGENTS.md ${why}.`]);
});

test('project notes: a link to a file outside of the workspace → refused', async () => {
  await writeFile(join(dir, 'secret'), 'the key');
  await symlink(join(dir, 'secret'), file);
  const { notes, warnings } = await readProjectNotes(workspace);
  expect(notes).toBeNull();
  expect(warnings).toEqual([expect.stringContaining('leads out of the workspace')]);
});

test('project notes: a link within the workspace → followed', async () => {
  await writeFile(join(workspace, 'CLAUDE.md'), 'Built with make.');
  await symlink('CLAUDE.md', file);
  expect((await readProjectNotes(workspace)).notes?.text).toBe('Built with make.');
});
