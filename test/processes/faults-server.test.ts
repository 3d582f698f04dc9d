import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@temporalio/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isHealthy, localConnection } from '../../src/shared/local/probe.js';
import { onStage } from '../support/fault-stage.js';
import type { TemporalProcess } from '../support/processes.js';
import { killWorkers, spawnWorker, startTemporalProcess } from '../support/processes.js';
import { makeProject } from '../support/project.js';
import { quietTemporal } from '../support/quiet.js';
import { until } from '../support/wait.js';

let home: string;
let temporal: TemporalProcess;
let client: Client;

beforeAll(async () => {
  quietTemporal();
  home = mkdtempSync(join(tmpdir(), 'steersman-temporal-'));
  temporal = await startTemporalProcess(home);
  client = new Client({ connection: localConnection(temporal.address) });
});
afterAll(async () => {
  killWorkers();
  await client?.connection.close();
  await temporal?.stop();
  rmSync(home, { recursive: true, force: true });
});

test('kill -9 of the Temporal server in a model call and in a tool call, restarted on its database → the run goes on, the effect happens once', async () => {
  await onStage({ client, address: temporal.address }, async stage => {
    const worker = await stage.worker();
    let answer = () => {};
    const serverIsDown = new Promise<void>(resolve => {
      answer = resolve;
    });
    const file = join(stage.project.dir, 'lines.txt');
    const run = await stage.start('server', {
      calls: [{ name: 'append_slow', arguments: { file, line: 'a', gate: 'effect' } }],
      change: (reply, { role, at }) =>
        role === 'executor' && at === 0 ? { ...reply, hold: { until: serverIsDown } } : reply,
    });
    await until('the executor is asked', () => run.requests().length === 2);
    await temporal.kill();
    expect(await isHealthy(temporal.address, 500)).toBe(false);
    // The reply ends while nobody can be told.
    answer();
    await temporal.restart();

    await until('the effect has happened', () => stage.fake.effects().length === 1);
    await temporal.kill();
    stage.fake.openGate('effect');
    await temporal.restart();

    expect(await run.result()).toMatchObject({ outcome: 'completed' });
    expect(run.requests().filter(({ nth }) => nth > 1).length).toBeLessThanOrEqual(1);
    expect(stage.fake.effects()).toHaveLength(1);
    expect(run.seen()).toEqual([expect.stringMatching(/^appended$|not known whether .* took effect/)]);
    expect(worker.log()).not.toContain('Error: Worker');
  });
});

test('a worker that starts while Temporal is away → it says so, waits, serves once it is there, and ends on a signal meanwhile', async () => {
  const project = makeProject({});
  const options = { address: temporal.address, taskQueue: 'away', project };
  await temporal.kill();
  const [worker, leaving] = [spawnWorker(options), spawnWorker(options)];
  for (const each of [worker, leaving])
    await until('it says so', () => each.log().includes(`${temporal.address} cannot be reached`));
  leaving.end('SIGTERM');
  expect(await leaving.exited).toBe(0);
  await temporal.restart();
  await until('it serves', () => worker.log().includes('Serving the task queue away'));
  worker.end('SIGTERM');
  expect(await worker.exited).toBe(0);
  rmSync(project.dir, { recursive: true, force: true });
});

test('a worker whose address answers in another protocol → it ends at once and names it', async () => {
  const project = makeProject({});
  const env = { TEMPORAL_TLS: 'true' };
  const { address } = temporal;
  const options = { address, taskQueue: 'wrong', project, env };
  const worker = spawnWorker(options);
  expect([await worker.exited, worker.log()]).toEqual([
    2,
    expect.stringContaining(`Temporal at ${address} speaks no TLS`),
  ]);
  rmSync(project.dir, { recursive: true, force: true });
});
