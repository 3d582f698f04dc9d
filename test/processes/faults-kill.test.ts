import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { plan } from '../../packages/test-kit/role-outputs.js';
import { answerGateUpdate, type RunResult } from '../../src/workflows/run/definitions.js';
import type { ScriptedToolCall } from '../support/endpoint/model.js';
import type { FaultStage, FaultStageOptions, Part, StagedRun } from '../support/fault-stage.js';
import { onStage } from '../support/fault-stage.js';
import { pairingFaults } from '../support/pairing.js';
import { isRunning, killWorkers } from '../support/processes.js';
import { sharedTemporal } from '../support/rig.js';
import { journalOf, transcriptOf } from '../support/run-views.js';
import { openGateOf } from '../support/steering.js';
import { until } from '../support/wait.js';

/** From the death of a worker until the model hears of it. */
/** A second worker that serves by then tells of the first before Temporal notices its silence, after 10 s. */
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
  expect(repeated(run)).toBe(0);
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
    'done: read',
    'appended',
  ]);
  expect(stage.fake.effects().map(({ tool }) => tool)).toEqual(['append_slow', 'append_line']);
  expect(stage.fake.events().filter(({ event }) => event === 'start')).toHaveLength(4);
  expect(repeated(run)).toBe(0);
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
  expect(repeated(run)).toBe(2);
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
  test('in a model call, a read-only call, edit_file and another effect → all runs complete, one model call is repeated, nothing finished runs again, what is unknown is told (E1)', () =>
    play(killInFlight, {
      failpoints: 'tool.after-effect=kill@5',
      workspace: { 'count.txt': 'count: 1\n' },
    }));

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

// By itself, for one of those above is held to a time.
test('kill -9 of the only worker, with three sub-agents at work → nothing finished runs again, one model call is repeated, and the budgets add up (A1, E1)', () =>
  play(killAgents));

test('fault kill: a worker dies while a question of its role waits → the next worker takes the answer, and nobody is asked again (F17)', () =>
  play(killAsking));
