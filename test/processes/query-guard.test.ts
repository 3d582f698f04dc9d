import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { WorkflowClient, type WorkflowHandle } from '@temporalio/client';
import { afterAll, expect, test } from 'vitest';
import { REFUSAL } from '../../src/run/limits/failure.js';
import {
  followUpSignal,
  pauseSignal,
  type RunResult,
  stateQuery,
  stopSignal,
} from '../../src/workflows/run/definitions.js';
import { partsOf } from '../support/histories.js';
import { killWorkers, startWorkerProcess } from '../support/processes.js';
import { rigOfFile } from '../support/rig-of-file.js';
import { byRole, content, planned, reported, settingsYaml } from '../support/steering.js';
import { until } from '../support/wait.js';

/** A query waits so long for the worker that has the run in its cache. */
const STICKY_MS = 2_000;
const WORKER = fileURLToPath(new URL('../support/short-lived-worker.mjs', import.meta.url));

let doomed: ChildProcess | undefined;

// Without a store: a run that is idle has no activity in flight.
const rig = rigOfFile({
  config: { 'steersman.yaml': settingsYaml('steering: note', 'store: { kind: none }') },
});
afterAll(async () => {
  doomed?.kill('SIGKILL');
  killWorkers();
});

async function startDoomedWorker(): Promise<ChildProcess> {
  const { configDir, dir } = rig.project;
  const options = { address: rig.env.address, taskQueue: rig.taskQueue, configDir, home: join(dir, 'home') };
  const child = fork(WORKER, [JSON.stringify({ ...options, stickyMs: STICKY_MS })]);
  await once(child, 'message');
  return child;
}

/** The same run, by a client that does not ask again. */
function askedOnce({ workflowId }: WorkflowHandle): WorkflowHandle {
  return new WorkflowClient({ connection: rig.env.connection }).getHandle(workflowId);
}

/** A run that has answered its goal and is kept open, whose worker is dead; another worker serves its queue. */
async function orphanedRun(): Promise<WorkflowHandle> {
  await rig.stopWorker();
  doomed = await startDoomedWorker();
  const handle = await rig.start('First', { keepOpenSeconds: 600 });
  await until('the goal is answered', async () => (await handle.query(stateQuery)).phase === 'idle');
  // The server takes a worker for dead that has not polled for 10 s, and has no query wait for it: nothing slow comes
  // between this one's last poll, after a query, and its end.
  await rig.startWorker();
  await handle.query(stateQuery);
  doomed.kill('SIGKILL');
  await once(doomed, 'exit');
  return handle;
}

/** On a busy machine the query may be over before the signal is there: then it is staged again. */
async function untilStaged<T>(stage: () => Promise<T | null>): Promise<T> {
  for (let tries = 1; tries < 5; tries += 1) {
    const staged = await stage();
    if (staged !== null) return staged;
  }
  throw new Error('the query was always over before the signal was there');
}

test('query: it waits for a dead worker while a signal arrives that no task has covered → refused, and the history replays (ST3)', async () => {
  rig.play(byRole({ planner: () => planned, executor: () => reported(), verifier: () => content }));
  const { handle, read } = await untilStaged(async () => {
    const handle = await orphanedRun();
    let isRead = false;
    const reading = askedOnce(handle)
      .query(stateQuery)
      .then(
        () => 'answered',
        (error: unknown) => String(error),
      )
      .finally(() => {
        isRead = true;
      });
    // The signal's task waits for the dead worker as well, and longer than the query.
    await delay(STICKY_MS / 2);
    await handle.signal(followUpSignal, { id: 'f1', text: 'Second' });
    const isLate = isRead;
    const read = await reading;
    if (!isLate || read !== 'answered') return { handle, read };
    await handle.signal(stopSignal, {});
    return null;
  });
  // An answer with the first signal alone would begin the next goal; with both of them the run ends instead.
  await handle.signal(stopSignal, { reason: 'enough' });
  expect(read).toContain(REFUSAL);
  const { goals } = (await handle.result()) as RunResult;
  expect(goals.map(({ text }) => text)).toEqual(['First']);
  const [part] = await partsOf(rig.env.client, handle);
  const failed = part?.history.events?.filter(event => event.workflowTaskFailedEventAttributes);
  expect(failed).toEqual([]);
  expect(await handle.query(stateQuery)).toMatchObject({ phase: 'ended' });
});

test('query: right after the first task of a worker that took over → refused once at most, then answered (ST3)', async () => {
  rig.play(byRole({ planner: () => planned, executor: () => reported(), verifier: () => content }));
  const handle = await rig.start('Second', { keepOpenSeconds: 600 });
  await until('the goal is answered', async () => (await handle.query(stateQuery)).phase === 'idle');
  await rig.stopWorker();
  await rig.startWorker();
  await handle.signal(pauseSignal, { reason: 'to have a task' });
  await until('the task is done', async () => !(await handle.describe()).raw.pendingWorkflowTask);
  const answers: string[] = [];
  for (let asked = 0; asked < 3; asked += 1) {
    const answer = askedOnce(handle)
      .query(stateQuery)
      .then(({ phase }) => phase as string);
    answers.push(
      await answer.catch((error: unknown) => (String(error).includes(REFUSAL) ? 'refused' : String(error))),
    );
  }
  expect(answers.slice(1)).toEqual(['paused', 'paused']);
  await handle.signal(stopSignal, {});
  await handle.result();
});

test('query: where the code of a run stands → not told by a worker process, and told with STEERSMAN_STACK_TRACES=on', async () => {
  rig.play(byRole({ planner: () => planned, executor: () => reported(), verifier: () => content }));
  const handle = await rig.start('Third', { keepOpenSeconds: 600 });
  await until('the goal is answered', async () => (await handle.query(stateQuery)).phase === 'idle');
  await rig.stopWorker();
  const { taskQueue, model, project } = rig;
  const asked = async (variables: Record<string, string>) => {
    const worker = await startWorkerProcess({
      address: rig.env.address,
      taskQueue,
      project,
      model,
      env: variables,
    });
    const answer = await handle.query<string>('__stack_trace').catch(String);
    await worker.kill();
    return answer;
  };
  expect(await asked({})).toContain('stack traces are not enabled on this worker');
  expect(await asked({ STEERSMAN_STACK_TRACES: 'on' })).toMatch(/ at .*workflows/);
  await rig.startWorker();
  await handle.signal(stopSignal, {});
  await handle.result();
});
