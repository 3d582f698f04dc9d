import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ScriptedToolCall } from '../../src/testing/scripted-model.js';
import type { FaultStage, FaultStageOptions, Part, StagedRun } from '../support/fault-stage.js';
import { onStage } from '../support/fault-stage.js';
import { isRunning, killWorkers } from '../support/processes.js';
import { startTemporal } from '../support/rig.js';
import { messagesOf } from '../support/run-views.js';
import { until } from '../support/wait.js';

/** From the death of a worker until the model hears of it. */
const NOTICE_MS = 15_000;

let env: TestWorkflowEnvironment;

beforeAll(async () => {
  env = await startTemporal();
});
afterAll(async () => {
  killWorkers();
  await env?.teardown();
});

function play(acts: (stage: FaultStage) => Promise<void>, options: Partial<FaultStageOptions> = {}) {
  return onStage({ client: env.client, address: env.address, ...options }, acts);
}

const call = (name: string, args: Record<string, unknown>): ScriptedToolCall => ({ name, arguments: args });
const repeated = (run: StagedRun) => run.requests().filter(({ nth }) => nth > 1).length;
const linesFile = (stage: FaultStage) => join(stage.project.dir, 'lines.txt');

/** Resolves with the server's process id when a tool waits at a gate: after its effect, where it has one. */
function waitsAt(stage: FaultStage, gate: string, times = 1): Promise<number> {
  return until(`${gate} is waited for`, () => {
    const calls = stage.fake.events().filter(({ event, args }) => event === 'call' && args?.gate === gate);
    return calls.length >= times && calls.at(-1)?.pid;
  });
}

/** Holds the executor's reply in its middle after so many tool results, the first time it is asked for. */
function heldOnce(after: number): NonNullable<Part['change']> {
  return (reply, { role, at, nth }) =>
    role === 'executor' && at === after && nth === 1
      ? { ...reply, chunkChars: 4, hold: { until: new Promise(() => {}), atChunk: 2 } }
      : reply;
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
  for (const gate of ['read', 'append']) stage.fake.openGate(gate);
  const runs = [model, reading, appending, editing];
  for (const run of runs) expect(await run.result()).toMatchObject({ outcome: 'completed' });

  // The second worker has told what the first could not: nothing had to be noticed by silence.
  for (const run of runs) expect(await timedOut(run)).toBe(0);
  for (const run of [editing, appending]) {
    expect(run.seen()).toEqual([
      'appended',
      expect.stringMatching(/^Outcome unknown: .*the worker that made this call has died/s),
    ]);
    const told = run.requests().find(request => messagesOf(request, 'tool').length === 2);
    expect((told?.at ?? Infinity) - diedAt).toBeLessThan(NOTICE_MS);
  }
  expect(reading.seen()).toEqual(['appended', 'done']);
  expect(runs.map(repeated)).toEqual([1, 0, 0, 0]);
  expect(readFileSync(path, 'utf8')).toBe('count: 11\n');
  expect(readFileSync(file, 'utf8').trim().split('\n').sort()).toEqual([
    'appending',
    'editing',
    'model',
    'reading',
    'slow',
  ]);
}

/** Calls and tasks that ended by what did not come: heartbeats, or a worker that had the run in its cache. */
async function timedOut({ handle }: StagedRun): Promise<number> {
  const { events = [] } = await handle.fetchHistory();
  return (events ?? []).filter(
    event => event.activityTaskTimedOutEventAttributes || event.workflowTaskTimedOutEventAttributes,
  ).length;
}

async function endInOrder(stage: FaultStage, signal: NodeJS.Signals): Promise<void> {
  const leaving = await stage.worker();
  const model = await stage.start('model', { calls: [], change: heldOnce(0) });
  const slow = call('append_slow', { file: linesFile(stage), line: 'slow', gate: 'append' });
  const tool = await stage.start('tool', { calls: [slow] });
  const toolServer = await waitsAt(stage, 'append');
  await until('the model call runs', () => model.requests().length === 2);
  leaving.end(signal);
  await stage.worker();
  expect(await model.result()).toMatchObject({ outcome: 'completed' });
  expect(repeated(model)).toBe(1);
  // All that while the tool was waited for, and its server lived.
  expect([isRunning(leaving.pid), isRunning(toolServer)]).toEqual([true, true]);
  stage.fake.openGate('append');
  expect(await leaving.exited).toBe(0);
  expect(isRunning(toolServer)).toBe(false);
  expect(await tool.result()).toMatchObject({ outcome: 'completed' });
  expect(tool.seen()).toEqual(['appended']);
  expect(stage.fake.effects('append_slow')).toHaveLength(1);
}

async function killToolServer(stage: FaultStage): Promise<void> {
  const file = linesFile(stage);
  await stage.worker();
  let goOn = () => {};
  const killed = new Promise<void>(resolve => {
    goOn = resolve;
  });
  const run = await stage.start('servers', {
    calls: [
      call('append_slow', { file, line: 'a', gate: 'effect' }),
      call('slow', { gate: 'read' }),
      call('append_line', { file, line: 'b' }),
    ],
    change: (reply, { role, at }) =>
      role === 'executor' && at === 2 ? { ...reply, hold: { until: killed } } : reply,
  });
  process.kill(await waitsAt(stage, 'effect'), 'SIGKILL');
  process.kill(await waitsAt(stage, 'read'), 'SIGKILL');
  const third = await waitsAt(stage, 'read', 2);
  stage.fake.openGate('read');
  await until('the model is asked for the last call', () => run.requests().length === 4);
  process.kill(third, 'SIGKILL');
  await until('the server is gone', () => !isRunning(third));
  goOn();
  expect(await run.result()).toMatchObject({ outcome: 'completed' });
  expect(run.seen()).toEqual([
    expect.stringMatching(/^Outcome unknown: .*connection .* was lost/s),
    'done',
    'appended',
  ]);
  expect(stage.fake.effects().map(({ tool }) => tool)).toEqual(['append_slow', 'append_line']);
  expect(stage.fake.events().filter(({ event }) => event === 'start')).toHaveLength(4);
  expect(repeated(run)).toBe(0);
}

describe.concurrent('kill -9 of the only worker', () => {
  test('in a model call, a read-only call, edit_file and another effect → all runs complete, one model call is repeated, nothing finished runs again, what is unknown is told within 15 s (E1)', () =>
    play(killInFlight, {
      failpoints: 'tool.after-effect=kill@5',
      workspace: { 'count.txt': 'count: 1\n' },
    }));
});

describe.concurrent('the end of a worker in order', () => {
  test('SIGTERM in a model call and a tool call → the model call is taken over at once, the tool finishes, its server ends with the worker', () =>
    play(stage => endInOrder(stage, 'SIGTERM')));

  test('Ctrl-C, to its whole process group → the same: tool servers live until the calls have drained', () =>
    play(stage => endInOrder(stage, 'SIGINT')));
});

describe.concurrent('kill -9 of a tool server', () => {
  test('during and between calls → an effect is unknown, a read is made again, the next call reconnects (E1)', () =>
    play(killToolServer));
});
