/** kill -9 of the only worker. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { answerGateUpdate, type RunResult } from '../../src/workflows/run/definitions.js';
import {
  call,
  type FaultStage,
  type FaultStageOptions,
  heldOnce,
  linesFile,
  onStage,
  type Part,
  repeatedCalls,
  type StagedRun,
  waitsAt,
} from '../support/fault-stage.js';
import { killWorkers } from '../support/processes.js';
import { sharedTemporal } from '../support/rig.js';
import { openGateOf } from '../support/steering.js';
import { until } from '../support/wait.js';

/**
 * From the death of a worker until the model hears of it. A second worker that serves by then tells of the first before
 * Temporal notices its silence, after 10 s.
 */
const IN_TIME_MS = 5_000;

let env: TestWorkflowEnvironment;

beforeAll(async () => {
  env = await sharedTemporal();
});
afterAll(async () => {
  killWorkers();
  await env?.teardown();
});

function play(acts: (stage: FaultStage) => Promise<void>, options: Partial<FaultStageOptions> = {}) {
  return onStage({ client: env.client, address: env.address, ...options }, acts);
}

const EDIT = { oldText: 'count: 1', newText: 'count: 11' };

async function killInFlight(stage: FaultStage): Promise<void> {
  const file = linesFile(stage);
  const finished = (line: string) => call('append_line', { file, line });
  const path = join(stage.project.workspace, 'count.txt');
  const doomed = await stage.worker();
  const model = await stage.start('model', { calls: [finished('model')], change: heldOnce(1) });
  const reading = await stage.start('reading', {
    calls: [finished('reading'), call('slow', { gate: 'read' })],
  });
  const appending = await stage.start('appending', {
    calls: [finished('appending'), call('append_slow', { file, line: 'slow', gate: 'append' })],
  });
  await waitsAt(stage, 'read');
  await waitsAt(stage, 'append');
  await until('the held call is there', () => model.requests().length === 3);
  // The fifth answer of a tool, after four lines appended, is that of the edit: the worker dies of it.
  const editing = await stage.start('editing', {
    calls: [finished('editing'), call('filesystem__edit_file', { path, edits: [EDIT] })],
  });
  expect(await doomed.exited).toBe('SIGKILL');
  const diedAt = Date.now();
  expect(stage.fired('tool.after-effect')).toEqual([5]);
  expect(readFileSync(path, 'utf8')).toBe('count: 11\n');

  await stage.worker();
  const isInTime = Date.now() - diedAt < IN_TIME_MS;
  for (const gate of ['read', 'append']) stage.fake.openGate(gate);
  const runs = [model, reading, appending, editing];
  for (const run of runs) expect(await run.result()).toMatchObject({ outcome: 'completed' });

  // The second worker has told what the first could not: nothing had to be noticed by silence.
  if (isInTime) for (const run of runs) expect(await timedOut(run)).toBe(0);
  const why = isInTime ? 'the worker that made this call has died' : '';
  for (const run of [editing, appending]) {
    expect(run.seen()).toEqual([
      'appended',
      expect.stringMatching(new RegExp(`^Outcome unknown: .*${why}`, 's')),
    ]);
  }
  expect(reading.seen()).toEqual(['appended', 'done: read']);
  expect(runs.map(repeatedCalls)).toEqual([1, 0, 0, 0]);
  expect(readFileSync(path, 'utf8')).toBe('count: 11\n');
  expect(readFileSync(file, 'utf8').trim().split('\n').sort()).toEqual([
    'appending',
    'editing',
    'model',
    'reading',
    'slow',
  ]);
}

/** Nobody works while the question waits; its answer comes to a worker that did not ask it. */
async function killAsking(stage: FaultStage): Promise<void> {
  const ask = call('ask_person', { question: 'Which port?', options: ['Lagos', 'Cadiz'] });
  const part: Part = {
    calls: [],
    change: (_reply, { at }) => (at === 0 ? { toolCalls: [ask] } : { text: 'Cadiz it is.' }),
  };
  const doomed = await stage.worker();
  const run = await stage.start('Plan the trip.', part, { mode: 'react', attended: true });
  const { id: gateId } = await openGateOf(run.handle, 'question');
  await doomed.kill();
  const told = run.handle.executeUpdate(answerGateUpdate, { args: [{ gateId, text: 'Cadiz' }] });
  await stage.worker();
  await told;
  expect(await run.result()).toMatchObject({ cause: 'direct_answer', text: 'Cadiz it is.' });
  expect(run.seen()).toEqual(['The person says: Cadiz']);
  expect(repeatedCalls(run)).toBe(0);
}

/** Two agents wait for a tool, the third for the model, each after an effect: nothing of that is done again. */
async function killAgents(stage: FaultStage): Promise<void> {
  const file = linesFile(stage);
  const pieces = ['Do piece one.', 'Do piece two.', 'Do piece three.'];
  const asked = pieces.map(instruction => call('call_subagent', { agent_name: 'search', instruction }));
  const answer = { text: 'The line stands in the file now.' };
  const work = (line: string): Part => ({
    calls: [call('append_line', { file, line }), call('slow', { gate: 'read' })],
    change: (reply, { at }) => (at === 2 ? answer : reply),
  });
  let held = 0;
  const holding: Part = {
    calls: [call('append_line', { file, line: 'three' })],
    change: (reply, { at, nth }) => {
      if (at !== 1) return reply;
      if (nth > 1) return answer;
      held += 1;
      return { ...answer, chunkChars: 4, hold: { until: new Promise(() => {}), atChunk: 2 } };
    },
  };
  const doomed = await stage.worker();
  const part: Part = {
    calls: [],
    change: (_reply, { at }) => (at === 0 ? { text: 'In pieces.', toolCalls: asked } : answer),
    agents: { 'Do piece one.': work('one'), 'Do piece two.': work('two'), 'Do piece three.': holding },
  };
  const lead = await stage.start('Do it all.', part, { mode: 'lead' });
  await waitsAt(stage, 'read', 2);
  await until('the held call is there', () => held === 1);
  await doomed.kill();
  await stage.worker();
  stage.fake.openGate('read');
  const result = await lead.result();
  expect(result).toMatchObject({ cause: 'direct_answer' });
  expect(readFileSync(file, 'utf8').trim().split('\n').sort()).toEqual(['one', 'three', 'two']);
  // The call that was lost with its worker is made again, and no other.
  expect(stage.model.requests).toHaveLength(2 + 3 * 2 + 2 + 1);
  const agents = await Promise.all(
    [1, 2, 3].map(
      n =>
        env.client.workflow.getHandle(`${lead.handle.workflowId}/search/${n}`).result() as Promise<RunResult>,
    ),
  );
  expect(agents.map(({ cause }) => cause)).toEqual(['direct_answer', 'direct_answer', 'direct_answer']);
  const [own, theirs] = ['lead', 'search'].map(name => result.usageBy.find(({ role }) => role === name));
  for (const kind of ['inputTokens', 'outputTokens'] as const) {
    expect(theirs?.[kind]).toBe(agents.reduce((sum, { usage }) => sum + usage[kind], 0));
    expect(result.usage[kind]).toBe((own?.[kind] ?? 0) + (theirs?.[kind] ?? 0));
  }
}

/** Calls and tasks that ended by what did not come: heartbeats, or a worker that had the run in its cache. */
async function timedOut({ handle }: StagedRun): Promise<number> {
  const { events = [] } = await handle.fetchHistory();
  return (events ?? []).filter(
    event => event.activityTaskTimedOutEventAttributes || event.workflowTaskTimedOutEventAttributes,
  ).length;
}

test('kill -9 of the only worker, in a model call, a read-only call, edit_file and another effect → all runs complete, one model call is repeated, nothing finished runs again, what is unknown is told (E1)', () =>
  play(killInFlight, {
    failpoints: 'tool.after-effect=kill@5',
    workspace: { 'count.txt': 'count: 1\n' },
  }));

test('kill -9 of the only worker, with three sub-agents at work → nothing finished runs again, one model call is repeated, and the budgets add up (A1, E1)', () =>
  play(killAgents));

test('fault kill: a worker dies while a question of its role waits → the next worker takes the answer, and nobody is asked again (F17)', () =>
  play(killAsking));
