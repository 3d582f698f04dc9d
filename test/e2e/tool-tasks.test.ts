/** Calls that a tool server over HTTP carries on as tasks, on a real Temporal server, with workers that die meanwhile. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FaultStage, onStage, type StagedRun } from '../support/fault-stage.js';
import { killWorkers } from '../support/processes.js';
import { startTemporal } from '../support/rig.js';
import { until } from '../support/wait.js';

let env: TestWorkflowEnvironment;

beforeAll(async () => {
  env = await startTemporal();
});
afterAll(async () => {
  killWorkers();
  await env?.teardown();
});

const play = (acts: (stage: FaultStage) => Promise<void>) =>
  onStage({ client: env.client, address: env.address, tasks: true }, acts);

const linesOf = ({ project }: FaultStage) => join(project.dir, 'lines.txt');

/** A run whose only call waits at the gate, as a task that its worker has told of. */
async function atWork(stage: FaultStage): Promise<StagedRun> {
  const args = { file: linesOf(stage), line: 'once', gate: 'late' };
  const run = await stage.start('task', { calls: [{ name: 'far__task_append', arguments: args }] });
  await until('the effect is there', () => stage.fake.effects('task_append').length === 1);
  await until('the worker has told how the task stands', () => hasTold(run, 'waits for late'));
  return run;
}

/** Whether the heartbeat of its call says so. */
async function hasTold({ handle }: StagedRun, words: string): Promise<boolean> {
  const { raw } = await handle.describe();
  const [call] = raw.pendingActivities ?? [];
  const [details] = call?.heartbeatDetails?.payloads ?? [];
  return Buffer.from(details?.data ?? []).includes(words);
}

/** The result came, the effect once, and nobody was told that anything is unknown. */
async function expectOnce(stage: FaultStage, run: StagedRun): Promise<void> {
  expect(await run.result()).toMatchObject({ outcome: 'completed' });
  expect(run.seen()).toEqual(['appended']);
  expect(readFileSync(linesOf(stage), 'utf8')).toBe('once\n');
  expect(callsIn(stage, 'task_append')).toMatchObject([{ task: { ttl: expect.any(Number) } }]);
}

/** That reached the server. */
function callsIn({ fake }: FaultStage, called: string) {
  return fake.events().filter(({ event, tool }) => event === 'call' && tool === called);
}

/** How often calls of tools were scheduled, and how often silence ended one. */
async function callsOf({ handle }: StagedRun): Promise<{ scheduled: number; timedOut: number }> {
  const { events } = await handle.fetchHistory();
  const all = events ?? [];
  return {
    scheduled: all.filter(
      event => event.activityTaskScheduledEventAttributes?.activityType?.name === 'steersmanCallTool',
    ).length,
    timedOut: all.filter(event => event.activityTaskTimedOutEventAttributes).length,
  };
}

async function killed(stage: FaultStage): Promise<void> {
  const doomed = await stage.worker();
  const run = await atWork(stage);
  const reading = await stage.start('read', {
    calls: [{ name: 'far__task_read', arguments: { gate: 'late' } }],
  });
  await until('the worker has told of the task that reads', () => hasTold(reading, '"task":'));
  await doomed.kill();
  await stage.worker();
  stage.fake.openGate('late');
  await expectOnce(stage, run);
  expect(await callsOf(run)).toEqual({ scheduled: 2, timedOut: 0 });
  // Temporal itself tries a read again, with what the heartbeat told.
  expect(await reading.result()).toMatchObject({ outcome: 'completed' });
  expect(reading.seen()).toEqual(['read late']);
  expect(callsIn(stage, 'task_read')).toHaveLength(1);
  expect(await callsOf(reading)).toEqual({ scheduled: 1, timedOut: 0 });
}

/** Two workers, so that nobody who starts afterwards tells of the death: the heartbeats that do not come do. */
async function killedBesideAnother(stage: FaultStage): Promise<void> {
  const doomed = await stage.worker();
  const run = await atWork(stage);
  await stage.worker();
  await doomed.kill();
  await until('the task is asked for by another try', async () => (await callsOf(run)).scheduled === 2);
  stage.fake.openGate('late');
  await expectOnce(stage, run);
  expect(await callsOf(run)).toEqual({ scheduled: 2, timedOut: 1 });
}

describe.concurrent('a write that its server carries on as a task', () => {
  test('kill -9 of the only worker, and another takes over → the results are asked for, the effect is there once, and nothing read twice (T22, E1)', () =>
    play(killed));

  test('kill -9 beside another worker → heartbeats that do not come lead to the same (T22, E1)', () =>
    play(killedBesideAnother));
});
