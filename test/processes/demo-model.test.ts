import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { RunSettings } from '../../src/run/agents/run-config.js';
import type { RunResult } from '../../src/workflows/run/definitions.js';
import { steerSignal } from '../../src/workflows/run/definitions.js';
import { shippedServers } from '../support/project.js';
import { rigOfFile } from '../support/rig-of-file.js';
import { answer, openGateOf } from '../support/steering.js';

const PAGE = '{ "line": "of a file that is too large to be given whole" },\n';
const LARGE_LINES = 900;

/** 64 files with known counts; what is in dependency and build folders must not be counted. */
function smallRepository(): Record<string, string> {
  const files: Record<string, string> = {
    'README.md':
      '# Harbour\n\nHarbour keeps a list of boats and their berths.\n\n## Install\n\nnpm i\n\n## Use\n\nSail.\n',
    'package.json': '{\n  "name": "harbour",\n  "dependencies": { "left-pad": "^1.0.0" }\n}\n',
    'docs/guide.md': 'Guide\n=====\n\n## First steps\n\n```\n# no heading\n```\n',
    'data/large.json': PAGE.repeat(LARGE_LINES),
    'logo.png': '\u0000binary',
    '.gitignore': 'node_modules\ndist\n',
    'node_modules/left-pad/index.js': '// TODO not ours\n',
    'dist/out.js': '// FIXME not ours\n',
  };
  for (let number = 1; number <= 56; number++) {
    const marker = number % 8 === 0 ? `// TODO berth ${number}\n` : '';
    const call = number % 4 === 0 ? 'moorBoat();\n' : '';
    files[`src/part${number % 7}/boat${number}.ts`] =
      `${marker}${call}export const boat${number} = ${number};\n`;
  }
  return files;
}

const rig = rigOfFile({ workspace: smallRepository(), config: shippedServers() });

async function demo(goal: string, settings: Partial<RunSettings> = {}): Promise<RunResult> {
  const { result } = await rig.run(goal, { model: 'demo', ...settings });
  // The scripted model is what the configuration names: it must not have been asked.
  expect(rig.model.requests).toEqual([]);
  return result;
}

describe('demo model, whole path', () => {
  test('a goal in react mode → real tools and an answer of one role, no tasks, answered (L18)', async () => {
    const {
      mode,
      outcome,
      cause,
      text: answer,
      tasks,
      trace,
    } = await demo('What does docs/guide.md say?', {
      mode: 'react',
    });
    expect({ mode, outcome, cause, tasks }).toEqual({
      ...{ mode: 'react', outcome: 'answered', cause: 'direct_answer' },
      tasks: [],
    });
    expect(answer).toContain('First steps');
    expect(trace.steps.map(({ action }) => action.type)).toContain('tool');
    expect(trace.steps.at(-1)).toMatchObject({ action: { type: 'final' } });
    expect(trace.steps.at(-1)).not.toHaveProperty('taskId');
  });

  const READ = 'What does docs/guide.md say?';
  test.each<[RunSettings['mode'], string, Partial<RunResult>, string]>([
    ['plan', READ, { mode: 'plan', cause: 'carried_out' }, 'First steps'],
    ['lead', 'Give me an overview of this project', { mode: 'lead', cause: 'direct_answer' }, '**62 files**'],
    ['direct', READ, { mode: 'direct', cause: 'direct_answer', tasks: [] }, 'not seen'],
    ['auto', READ, { mode: 'react', cause: 'direct_answer' }, 'First steps'],
  ])('a goal in %s mode → real files, an answer, nothing verified (L18)', async (mode, goal, end, said) => {
    const { tasks, ...result } = await demo(goal, { mode });
    expect({ ...result, tasks }).toMatchObject({ outcome: 'answered', ...end });
    expect(result.text).toContain(said);
    expect(result.trace.steps.some(({ action }) => action.type === 'tool')).toBe(mode !== 'direct');
    expect(tasks.map(({ status }) => status)).toEqual(mode === 'plan' ? ['completed'] : []);
  });

  test('a goal of one task in team mode → the verdict names the task, and the goal is completed', async () => {
    const { outcome, text: answer, tasks, counters } = await demo(READ);
    expect({ outcome, reasks: counters.reasks }).toEqual({ outcome: 'completed', reasks: 0 });
    expect(tasks.map(({ id, status }) => [id, status])).toEqual([['read', 'completed']]);
    expect(answer).toContain('First steps');
  });

  test('overview of a folder → counts as they are, three tasks and as many calls, ignored folders left out (FC1)', async () => {
    const {
      outcome,
      text: answer,
      tasks,
      usage,
      counters,
    } = await demo('Give me an overview of this project');
    expect({ outcome, calls: counters.toolCalls }).toEqual({ outcome: 'completed', calls: 3 });
    expect(tasks.map(({ id, status }) => [id, status])).toEqual([
      ['files', 'completed'],
      ['readme', 'completed'],
      ['marks', 'completed'],
    ]);
    expect(usage.costUsd).toBe(0);
    expect(answer.split('\n')[0]).toBe('*Demo model: rules, not intelligence.*');
    for (const text of [
      'Harbour keeps a list of boats and their berths.',
      '**62 files**',
      '\nsrc/ (56 files)\n',
      '**7 lines**',
      '\nsrc/part1/boat8.ts:1: // TODO berth 8\n',
    ])
      expect(answer).toContain(text);
    expect(answer).not.toContain('not ours');
  });

  test.each(['Write a web server for these boats', 'hello'])(
    'a goal that needs understanding, "%s" → nothing is planned; one line, unverified (FC2)',
    async goal => {
      const { outcome, cause, text: answer, tasks, counters } = await demo(goal);
      expect({ outcome, cause, tasks }).toEqual({ outcome: 'unverified', cause: 'no_plan', tasks: [] });
      expect(answer).toMatch(/^\*Demo model.*It can't do this: “.*”\..*$/);
      expect(counters).toMatchObject({ toolCalls: 0, planning: 1, verification: 0 });
    },
  );

  test.each<[RunSettings['mode'], string, RunResult['outcome']]>([
    ['team', 'Deploy the site', 'unverified'],
    ['react', 'Deploy the site', 'failed'],
    ['react', 'Show gone.md', 'failed'],
  ])(
    '%s: "%s" with a check that passes whatever is done → not completed by it (FC2)',
    async (mode, goal, outcome) => {
      const handle = await rig.start(goal, { model: 'demo', mode, checks: [{ run: 'true' }] });
      const end = await handle.result().then(
        (result: RunResult) => result.outcome,
        () => 'failed',
      );
      expect(end).toBe(outcome);
    },
  );

  const file = (name: string) => join(rig.project.workspace, name);
  const goal = (name: string) => `Write a list of the TODOs to ${name}`;

  test.each(['TODO.md', 'docs/总结.md', 'Über.md'])(
    'a goal that names the file %s to write to, approved → written, and verified (TE10)',
    async name => {
      const { result } = await rig.run(goal(name), { model: 'demo', autoApprove: true });
      expect(existsSync(file(name))).toBe(true);
      expect(readFileSync(file(name), 'utf8')).toContain('// TODO berth 8');
      expect(result).toMatchObject({ outcome: 'completed' });
      expect(result.text).toContain(`All above was written to ${name}.`);
      rmSync(file(name));
    },
  );

  test('a goal that names a file to write to, denied → asked once, not written, not verified, and the answer says so (TE10, FC10)', async () => {
    const handle = await rig.start(goal('OTHER.md'), { model: 'demo', attended: true });
    const gate = await openGateOf(handle, 'approval');
    expect(gate.title).toContain('write');
    await answer(handle, 'approval', { decision: 'deny', reason: 'not here' });
    const denied: RunResult = await handle.result();
    expect(denied.outcome).toBe('unverified');
    expect(denied.text.split('\n').at(-1)).toBe('**Write the answer to OTHER.md: not allowed**');
    expect(denied.counters).toMatchObject({ toolCalls: 2, verification: 0 });
    expect(existsSync(file('OTHER.md'))).toBe(false);
  });

  test('messages amid the work → what they ask for stands below what was written, and is verified', async () => {
    const settings = { model: 'demo', attended: true };
    const handle = await rig.start('Write a summary of this project to OTHER.md', settings);
    await openGateOf(handle, 'approval');
    for (const text of ['also look at docs/guide.md', 'Also count the files in docs'])
      await handle.signal(steerSignal, { id: text.slice(-4), text, when: 'after-batch' });
    await answer(handle, 'approval', { decision: 'approve' });
    const { outcome, text, tasks, counters }: RunResult = await handle.result();
    const written = readFileSync(file('OTHER.md'), 'utf8');
    expect({ outcome, begins: text.startsWith(written) }).toEqual({ outcome: 'completed', begins: true });
    for (const found of ['First steps', '**1 file**']) {
      expect(text.slice(written.length)).toContain(found);
      expect(written).not.toContain(found);
    }
    // Its task counts the files of another folder too, so it is done once more.
    expect(tasks.map(({ id }) => id)).toEqual(['files', 'readme', 'marks', 'write', 'read']);
    expect(counters.reasks).toBe(0);
  });
});
