/** Where skills are found, what counts of them, and how a person's trust hangs on them. */
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { configurationDigest } from '../../../../src/config/digest.js';
import { findSkills } from '../../../../src/config/skills/find-skills.js';
import { markOf } from '../../../../src/config/trust/trust.js';
import { projectRoot } from '../../../support/project.js';

let dir: string;
let project: string;

beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'steersman-skills-')));
  project = join(dir, 'project');
  mkdirSync(project);
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function put(path: string, text: string): void {
  const file = join(dir, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function skill(path: string, name = path.split('/').at(-1), more = 'Do it.'): void {
  put(`${path}/SKILL.md`, `---\nname: ${name}\ndescription: Does ${name}.\n---\n${more}\n`);
}

const find = (named: string[] = []) => findSkills({ configDir: project, named });
const names = async (named?: string[]) => (await find(named)).skills.map(({ name }) => name);
const digest = async () => (await find()).skills[0]?.digest;

test('skills: those of the repository’s tests → found with their files, by name and size (SK2)', async () => {
  cpSync(join(projectRoot, 'test/support/skills'), join(project, 'skills'), { recursive: true });
  const { skills, faults } = await find();
  expect(faults).toEqual([]);
  expect(skills.map(({ name, files }) => [name, [...files.keys()]])).toEqual([
    ['release-notes', ['references/kinds.md']],
    ['table-check', ['scripts/check.sh']],
  ]);
});

test('skills: three folders of the project and those that a program names → all, a program’s first (SK2)', async () => {
  skill('project/skills/one');
  skill('project/.agents/skills/two');
  skill('project/.claude/skills/three');
  skill('mine/four');
  skill('alone');
  put('project/skills/README.md', 'No skill.');
  put('project/skills/parts/readme.md', 'No skill either.');
  expect(await names([join(dir, 'mine'), join(dir, 'alone')])).toEqual([
    'four',
    'alone',
    'one',
    'two',
    'three',
  ]);
});

test('skills: none → nothing, and a named folder that is not there is told', async () => {
  expect(await find()).toEqual({ skills: [], faults: [] });
  const { faults } = await find([join(dir, 'gone')]);
  expect(faults).toEqual([expect.stringContaining('gone is not there')]);
});

test('skills: a broken one → left out with file, fault and remedy; the others stay (SK1)', async () => {
  skill('project/skills/good');
  put('project/skills/bad/SKILL.md', '# No front matter\n');
  const { skills, faults } = await find();
  expect(skills.map(({ name }) => name)).toEqual(['good']);
  expect(faults).toEqual([
    expect.stringMatching(/bad\/SKILL\.md:1: front matter is missing\. Begin the file/),
  ]);
});

test('skills: one of a name twice → the first; the same under another path → said by nobody', async () => {
  skill('project/.agents/skills/one');
  mkdirSync(join(project, '.claude/skills'), { recursive: true });
  symlinkSync(join(project, '.agents/skills/one'), join(project, '.claude/skills/one'));
  cpSync(join(project, '.agents/skills/one'), join(project, 'skills/one'), { recursive: true });
  expect(await find()).toMatchObject({ skills: [{ name: 'one' }], faults: [] });
  skill('project/skills/one', 'one', 'Do another thing.');
  const { skills, faults } = await find();
  expect(skills.map(({ body }) => body)).toEqual(['Do another thing.']);
  expect(faults).toEqual([expect.stringContaining('another one is in')]);
});

test('skills: links out of the project and out of a skill → not followed (SK2)', async () => {
  skill('elsewhere/far');
  put('secret.txt', 'secret');
  skill('project/skills/near');
  symlinkSync(join(dir, 'elsewhere/far'), join(project, 'skills/far'));
  symlinkSync(join(dir, 'secret.txt'), join(project, 'skills/near/notes.txt'));
  symlinkSync(join(dir, 'elsewhere'), join(project, 'skills/near/folder'));
  const { skills, faults } = await find();
  expect(skills.map(({ name, files }) => [name, files.size])).toEqual([['near', 0]]);
  expect(faults).toEqual([expect.stringContaining('out of the project')]);
});

test('skills: the file itself leads out → left out', async () => {
  put('secret.txt', '---\nname: near\ndescription: Does.\n---\n');
  mkdirSync(join(project, 'skills/near'), { recursive: true });
  symlinkSync(join(dir, 'secret.txt'), join(project, 'skills/near/SKILL.md'));
  expect((await find()).faults).toEqual([expect.stringContaining('outside of its folder')]);
});

test.each<[string, () => void, boolean]>([
  ['its text', () => skill('project/skills/one', 'one', 'Do it well.'), true],
  ['a file of it', () => put('project/skills/one/a.txt', 'beta'), true],
  ['a file more', () => put('project/skills/one/b.txt', ''), true],
  ['what its scripts left behind', () => put('project/skills/one/__pycache__/a.pyc', 'x'), false],
  ['another skill', () => skill('project/skills/two'), false],
])('skills: %s changes → another digest: %s (SK3)', async (_what, change, isOther) => {
  skill('project/skills/one');
  put('project/skills/one/a.txt', 'alpha');
  const before = await digest();
  change();
  expect((await digest()) !== before).toBe(isOther);
});

test.each<[string, (folder: string) => string]>([
  ['what a person trusted', folder => markOf(folder)],
  ['the configuration of hosts', configurationDigest],
])(
  '%s: a skill comes, changes or goes → another mark; a folder without any keeps its mark (SK2)',
  (_what, mark) => {
    const marks = () => mark(project);
    const none = marks();
    put('project/skills/parts/readme.md', 'No skill.');
    expect(marks()).toBe(none);
    const seen = new Set([none]);
    const isNew = () => !seen.has(marks()) && seen.add(marks()) !== undefined;
    skill('project/.claude/skills/one');
    expect(isNew()).toBe(true);
    put('project/.claude/skills/one/run.sh', 'ls');
    expect(isNew()).toBe(true);
    put('project/.claude/skills/one/__pycache__/a.pyc', 'x');
    expect(isNew()).toBe(false);
    rmSync(join(project, '.claude'), { recursive: true });
    expect(marks()).toBe(none);
  },
);
