/** How often the files of skills are read: every run looks at all of them. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';

type Find = typeof import('../../../../src/config/skills/find-skills.js').findSkills;

const read: string[] = [];
let findSkills: Find;
let dir = '';
let file = '';

beforeAll(async () => {
  vi.resetModules();
  vi.doMock('../../../../src/config/files/files.js', async original => {
    const files = await original<typeof import('../../../../src/config/files/files.js')>();
    const readHead: typeof files.readHead = async (path, most) => {
      read.push(path);
      return files.readHead(path, most);
    };
    return { ...files, readHead };
  });
  ({ findSkills } = await import('../../../../src/config/skills/find-skills.js'));
});
afterAll(() => {
  vi.doUnmock('../../../../src/config/files/files.js');
  vi.resetModules();
});

beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'digests-')));
  const folder = join(dir, 'skills', 'pdf');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'SKILL.md'), '---\nname: pdf\ndescription: Fills forms.\n---\nDo it.\n');
  file = join(folder, 'fill.py');
  writeFileSync(file, 'print(1)');
  // A minute later: nothing has changed a moment ago.
  const now = Date.now() + 60_000;
  vi.spyOn(Date, 'now').mockImplementation(() => now);
  return () => {
    vi.restoreAllMocks();
    rmSync(dir, { recursive: true, force: true });
  };
});

const digest = async () => (await findSkills({ configDir: dir })).skills[0]?.digest;
const timesRead = () => read.filter(path => path === file).length;

test('skills: the same for many runs → a file is read once, and again where it has changed (SK3)', async () => {
  const first = await digest();
  expect([await digest(), await digest(), timesRead()]).toEqual([first, first, 1]);
  // Of the same size, and with its old time.
  const { atime, mtime } = statSync(file);
  writeFileSync(file, 'print(2)');
  utimesSync(file, atime, mtime);
  expect([(await digest()) === first, timesRead()]).toEqual([false, 2]);
});

test('skills: a file that was changed a moment ago → read each time, for it may change again within the same moment (SK3)', async () => {
  vi.restoreAllMocks();
  const [first, second] = [await digest(), await digest()];
  expect([first === second, timesRead()]).toEqual([true, timesRead()]);
  const before = timesRead();
  await digest();
  expect(timesRead()).toBe(before + 1);
});
