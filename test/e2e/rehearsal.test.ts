import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunSettings } from '../../src/core/agents/run-config.js';
import type { RunResult } from '../../src/workflows/messages.js';
import type { Rig } from '../support/rig.js';
import { startRig, startTemporal } from '../support/rig.js';
import { answer, openGateOf } from '../support/steering.js';

const PAGE = '{ "line": "of a large file, to be read in pages" },\n';
const LARGE_LINES = 900;

/** 63 files with known counts; what is in dependency and build folders must not be counted. */
function smallRepository(): Record<string, string> {
  const files: Record<string, string> = {
    'README.md':
      '# Harbour\n\nHarbour keeps a list of boats and their berths.\n\n## Install\n\nnpm i\n\n## Use\n\nSail.\n',
    'package.json': '{\n  "name": "harbour",\n  "dependencies": { "left-pad": "^1.0.0" }\n}\n',
    'docs/guide.md': 'Guide\n=====\n\n## First steps\n\n```\n# no heading\n```\n',
    'data/large.json': PAGE.repeat(LARGE_LINES),
    'logo.png': '\u0000binary',
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

let env: TestWorkflowEnvironment;
let rig: Rig;

beforeAll(async () => {
  env = await startTemporal();
  rig = await startRig({ env, workspace: smallRepository() });
});
afterAll(async () => {
  await rig?.close();
  await env?.teardown();
});

async function rehearse(goal: string, settings: Partial<RunSettings> = {}): Promise<RunResult> {
  const { result } = await rig.run(goal, { model: 'rehearsal', ...settings });
  // The scripted model is what the configuration names: it must not have been asked.
  expect(rig.model.requests).toEqual([]);
  return result;
}

describe('rehearsal model, whole path', () => {
  test('a goal in react mode → real tools and an answer of one role, no tasks, unverified (L18)', async () => {
    const { mode, outcome, cause, answer, tasks, trace } = await rehearse('What does docs/guide.md say?', {
      mode: 'react',
    });
    expect({ mode, outcome, cause, tasks }).toEqual({
      ...{ mode: 'react', outcome: 'unverified', cause: 'direct_answer' },
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
    [
      'lead',
      'Give me an overview of this project',
      { mode: 'lead', cause: 'direct_answer' },
      '61 files in 10 folders',
    ],
    ['direct', READ, { mode: 'direct', cause: 'direct_answer', tasks: [] }, 'Rehearsal model'],
    ['auto', READ, { mode: 'react', cause: 'direct_answer' }, 'First steps'],
  ])('a goal in %s mode → real files, an answer, nothing verified (L18)', async (mode, goal, end, said) => {
    const { children, artifacts, tasks, ...result } = await rehearse(goal, { mode });
    expect({ ...result, tasks }).toMatchObject({ ...end, outcome: 'unverified' });
    expect(result.answer).toContain(said);
    expect(result.trace.steps.some(({ action }) => action.type === 'tool')).toBe(mode !== 'direct');
    expect(tasks.map(({ status }) => status)).toEqual(mode === 'plan' ? ['completed'] : []);
    expect(children.length > 1 && artifacts.length === 1).toBe(mode === 'lead');
  });

  test('overview of a folder → counts as they are, several tasks, real tools, dependency folders left out', async () => {
    const { outcome, answer, tasks, usage } = await rehearse('Give me an overview of this project');
    expect(outcome).toBe('completed');
    expect(tasks.map(({ id, status }) => [id, status])).toEqual([
      ['survey', 'completed'],
      ['read', 'completed'],
      ['source', 'completed'],
    ]);
    expect(usage.costUsd).toBe(0);
    expect(answer.split('\n')[0]).toContain('Rehearsal model: rules, not intelligence.');
    expect(answer).toContain('> Harbour keeps a list of boats and their berths.');
    expect(answer).toContain('61 files in 10 folders, left out: `dist`, `node_modules`');
    expect(answer).toContain('| TypeScript | 56 | 77 |');
    expect(answer).toContain(`| JSON | 2 | ${LARGE_LINES + 4} |`);
    expect(answer).toContain('| Markdown | 2 | 19 |');
    expect(answer).toContain('**1000 lines** in all 60 text files');
    expect(answer).toContain('7 TODO, on 7 lines in 7 files');
    expect(answer).toContain('`src/part1/boat8.ts:1` `// TODO berth 8`');
    expect(answer).toContain('- Harbour (1)\n  - Install (5)\n  - Use (9)');
    expect(answer).toContain('- Guide (1)\n  - First steps (4)');
    expect(answer).toContain('- dependencies (1): `left-pad ^1.0.0`');
    expect(answer).toMatch(/Largest files[\s\S]*?\| `data\/large\.json` \| 45\.7 KB \| 900 \|/);
    expect(answer).not.toContain('not ours');
  });

  test('where is a word used → each place, and nothing else', async () => {
    const { outcome, answer } = await rehearse('Where is `moorBoat` used?');
    expect(outcome).toBe('completed');
    expect(answer).toContain('14 moorBoat, on 14 lines in 14 files, in all 60 text files');
    expect(answer).toContain('`src/part1/boat8.ts:2` `moorBoat();`');
    expect(answer).not.toContain('Largest files');
  });

  test('a file that the goal names only by its last part → looked for and quoted', async () => {
    const { outcome, answer } = await rehearse('What does guide.md say?');
    expect(outcome).toBe('completed');
    expect(answer).toContain('## docs/guide.md\n\nMarkdown · 8 lines');
  });

  test('a goal that needs understanding → says so, shows what it saw, and is not called verified', async () => {
    const { outcome, answer } = await rehearse('Write a web server for these boats');
    expect(outcome).toBe('unverified');
    expect(answer).toContain('cannot do what the goal asks with “write”');
    expect(answer).toContain('> Harbour keeps a list of boats');
  });

  test('few rounds a task → the verification finds what is missing and sends the work back', async () => {
    const { result } = await rig.run('Count the lines by language', {
      model: 'rehearsal',
      limits: { execution: 3, toolCallsPerTurn: 4 },
    });
    expect(result.answer).toContain('**1000 lines** in all 60 text files');
    expect(result.tasks.map(({ id }) => id)).toEqual(['survey', 'source', 'survey-2', 'source-2']);
    expect(result.outcome).toBe('completed');
  });

  test('a goal that names a file to write to → asks a person; approved it is written, denied the answer says so (TE10)', async () => {
    const file = (name: string) => join(rig.project.workspace, name);
    const goal = (name: string) => `Write a list of the TODOs to ${name}`;
    const approved = await rig.run(goal('TODO.md'), { model: 'rehearsal', autoApprove: true });
    expect(approved.result).toMatchObject({ outcome: 'completed' });
    expect(approved.result.answer).toContain('This was written to `TODO.md`.');
    expect(readFileSync(file('TODO.md'), 'utf8')).toContain('7 TODO, on 7 lines');

    const handle = await rig.start(goal('OTHER.md'), { model: 'rehearsal', attended: true });
    const gate = await openGateOf(handle, 'approval');
    expect(gate.title).toContain('write_file');
    await answer(handle, 'approval', { decision: 'deny', reason: 'not here' });
    const denied: RunResult = await handle.result();
    expect(denied.outcome).toBe('unverified');
    expect(denied.answer).toContain('`OTHER.md` was not written');
    expect(existsSync(file('OTHER.md'))).toBe(false);
  });
});
