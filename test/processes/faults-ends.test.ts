/** Workers that end in order, and kills of what a worker has: a tool server, a session, tasks side by side. */
import { execFileSync } from 'node:child_process';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { plan } from '../../packages/test-kit/role-outputs.js';
import {
  call,
  type FaultStage,
  type FaultStageOptions,
  heldOnce,
  linesFile,
  onStage,
  repeatedCalls,
  waitsAt,
} from '../support/fault-stage.js';
import { pairingFaults } from '../support/pairing.js';
import { isRunning, killWorkers } from '../support/processes.js';
import { sharedTemporal } from '../support/rig.js';
import { journalOf, transcriptOf } from '../support/run-views.js';
import { until } from '../support/wait.js';

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

async function endInOrder(stage: FaultStage, signal: NodeJS.Signals): Promise<void> {
  const leaving = await stage.worker();
  const model = await stage.start('model', { calls: [], change: heldOnce(0) });
  const slow = call('append_slow', { file: linesFile(stage), line: 'slow', gate: 'append' });
  const tool = await stage.start('tool', { calls: [slow] });
  const toolServer = await waitsAt(stage, 'append');
  await until('the model call runs', () => model.requests().length === 2);
  // It serves before, because a busy machine may need longer for its start than the other has to drain.
  await stage.worker();
  leaving.end(signal);
  expect(await model.result()).toMatchObject({ outcome: 'completed' });
  expect(repeatedCalls(model)).toBe(1);
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
    'done: read',
    'appended',
  ]);
  expect(stage.fake.effects().map(({ tool }) => tool)).toEqual(['append_slow', 'append_line']);
  expect(stage.fake.events().filter(({ event }) => event === 'start')).toHaveLength(4);
  expect(repeatedCalls(run)).toBe(0);
}

/** The session of a stateful server is in one worker, of two: that one dies between two calls. */
async function killSessionHolder(stage: FaultStage): Promise<void> {
  const workers = [await stage.worker(), await stage.worker()];
  let goOn = () => {};
  const killed = new Promise<void>(resolve => {
    goOn = resolve;
  });
  const run = await stage.start('sessions', {
    calls: [
      call('held__remember', { text: 'page one' }),
      call('held__recall', {}),
      call('held__recall', {}),
      call('held__remember', { text: 'page two' }),
      call('held__recall', {}),
    ],
    change: (reply, { role, at }) =>
      role === 'executor' && at === 2 ? { ...reply, hold: { until: killed } } : reply,
  });
  await until('the model is asked for the third call', () => run.requests().length === 4);
  const holder = parentOf(callsHeld(stage)[0] ?? 0);
  await workers.find(({ pid }) => pid === holder)?.kill();
  // It takes over what else the dead one had; the session nobody can.
  await stage.worker();
  goOn();
  expect(await run.result()).toMatchObject({ outcome: 'completed' });
  expect(run.seen()).toEqual([
    'kept',
    'page one',
    expect.stringMatching(/^Session lost: Not run: .* held has ended/),
    'kept',
    'page two',
  ]);
  const [first, second, third, fourth] = callsHeld(stage);
  expect([second === first, third === first, fourth === third]).toEqual([true, false, true]);
  expect(callsHeld(stage)).toHaveLength(4);
}

/** Two tasks that do not need each other, each with a model call in flight when the worker dies. */
async function killSideBySide(stage: FaultStage): Promise<void> {
  const line = call('append_line', { file: linesFile(stage), line: 'done' });
  const held = heldOnce(0);
  const doomed = await stage.worker();
  const run = await stage.start(
    'two tasks',
    {
      calls: [line],
      change: (reply, given) =>
        given.role === 'planner' ? { text: plan({ todos: ['One', 'Other'] }) } : held(reply, given),
    },
    { limits: { parallelTasks: 2 } },
  );
  // Neither has an answer: both are open.
  await until('both tasks ask the model', () => run.requests().length === 3);
  await doomed.kill();
  await stage.worker();
  const { outcome, tasks } = await run.result();
  expect([outcome, tasks.map(({ id, status }) => [id, status])]).toEqual([
    'completed',
    [
      ['task-1', 'completed'],
      ['task-2', 'completed'],
    ],
  ]);
  const journal = await journalOf(run.handle);
  for (const type of ['task_started', 'task_ended'] as const)
    expect(journal.flatMap(event => (event.type === type ? [event.taskId] : [])).sort()).toEqual([
      'task-1',
      'task-2',
    ]);
  expect(repeatedCalls(run)).toBe(2);
  expect(stage.fake.effects('append_line')).toHaveLength(2);
  // The verifier reads both, one after the other.
  expect(run.seen()).toEqual(['appended', 'appended']);
  expect(pairingFaults(await transcriptOf(run.handle))).toEqual({ open: [], stray: [] });
}

/** Process ids of the servers that were called, call by call. */
function callsHeld(stage: FaultStage): number[] {
  return stage.fake
    .events()
    .filter(({ event, tool = '' }) => event === 'call' && ['remember', 'recall'].includes(tool))
    .map(({ pid }) => pid);
}

function parentOf(pid: number): number {
  return Number(execFileSync('ps', ['-o', 'ppid=', '-p', String(pid)], { encoding: 'utf8' }));
}

describe.concurrent('kill -9 of the worker that holds a session, beside another', () => {
  test('between two calls → those before it had one process, the model is told once, and goes on with another (T18)', () =>
    play(killSessionHolder, { stateful: true }));
});

describe.concurrent('kill -9 of the only worker', () => {
  test('two tasks side by side, both in a model call → both calls are repeated, each task ends once, its effect too (C21, E1)', () =>
    play(killSideBySide));
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
