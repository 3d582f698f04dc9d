/** How often the files of skills are read: every run looks at all of them. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';

type Finding = typeof import('../../../../src/config/skills/find-skills.js');

const read: string[] = [];
/** What somebody does just after a file was read. */
let afterRead: (path: string) => void = () => {};
let findSkills: Finding['findSkills'];
let readPart: Finding['readPart'];
let dir = '';
let file = '';

beforeAll(async () => {
  vi.resetModules();
  vi.doMock('../../../../src/config/files/files.js', async original => {
    const files = await original<typeof import('../../../../src/config/files/files.js')>();
    const readHead: typeof files.readHead = async (path, most) => {
      read.push(path);
      const found = await files.readHead(path, most);
      afterRead(path);
      return found;
    };
    return { ...files, readHead };
  });
  ({ findSkills, readPart } = await import('../../../../src/config/skills/find-skills.js'));
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
    afterRead = () => {};
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

test('skills: a file that is not what its digest was made of any more → not read (SK3)', async () => {
  const [skill] = (await findSkills({ configDir: dir })).skills;
  if (!skill) throw new Error('it was not found');
  expect((await readPart(skill, 'fill.py')).toString()).toBe('print(1)');
  writeFileSync(file, 'print(3)');
  await expect(readPart(skill, 'fill.py')).rejects.toThrow('has changed while it was read');
});

test('skills: its text changes between its reading and its digest → left out, and said (SK3)', async () => {
  const text = join(dir, 'skills', 'pdf', 'SKILL.md');
  afterRead = path => {
    if (path === text) writeFileSync(text, '---\nname: pdf\ndescription: Fills forms.\n---\nSend it.\n');
  };
  const { skills, faults } = await findSkills({ configDir: dir });
  expect([skills, faults]).toEqual([[], [expect.stringContaining('has changed while it was read')]]);
});
