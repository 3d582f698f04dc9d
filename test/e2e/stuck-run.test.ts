import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Temporal } from '../../src/client/runs/connect.js';
import { readSnapshot } from '../../src/client/runs/run-snapshot.js';
import { watchRun } from '../../src/client/runs/watch-run.js';
import { checkServer } from '../../src/doctor/check-server.js';

import { stateQuery, steerSignal } from '../../src/workflows/messages.js';
import { workflowBundle } from '../support/histories.js';
import { type Rig, startRig, startTemporal } from '../support/rig.js';
import { SHORT_RUN_FILES, shortestScript } from '../support/team-script.js';
import { until } from '../support/wait.js';

let env: TestWorkflowEnvironment;
let rig: Rig;

beforeAll(async () => {
  env = await startTemporal();
  rig = await startRig({ env, workspace: SHORT_RUN_FILES, replay: false });
});
afterAll(async () => {
  await rig?.close();
  await env?.teardown();
});

/** A worker of another version, which calls models by another activity. */
function otherVersion(): Promise<Worker> {
  const code = workflowBundle().code.replaceAll('steersmanCallModel', 'steersmanCallAnotherModel');
  const sinks = { steersman: { offer: { fn: () => {} } } };
  const connection = env.nativeConnection;
  return Worker.create({ connection, taskQueue: rig.taskQueue, workflowBundle: { code }, sinks });
}

test('a run whose history does not fit its worker → watch, show and doctor name the cause and what to do (ST3)', async () => {
  rig.play(shortestScript());
  const handle = await rig.start('How many boats?', { keepOpenSeconds: 600 });
  await until('the goal is answered', async () => (await handle.query(stateQuery)).phase === 'idle');
  await rig.stopWorker();
  const other = await otherVersion();
  await other.runUntil(async () => {
    await handle.signal(steerSignal, { id: 'm1', text: 'Go on' });
    const temporal: Temporal = {
      client: env.client,
      address: env.address,
      namespace: 'default',
      local: null,
      close: async () => {},
    };
    const leave = new AbortController();
    for await (const item of watchRun(temporal, handle.workflowId, { pollMs: 50, signal: leave.signal })) {
      if (item.type === 'notice' && /does not fit the code of worker/.test(item.text)) leave.abort();
    }
    const shown = await readSnapshot(temporal, handle.workflowId);
    expect(shown.stuck).toMatchObject({
      what: expect.stringMatching(/TMPRL1100/),
      todo: expect.stringMatching(/temporal workflow reset/),
    });
    const findings = await checkServer(env.client, { namespace: 'default', taskQueue: null, fix: false });
    expect(findings.find(({ check }) => check === 'run')).toMatchObject({
      status: 'failed',
      found: expect.stringContaining(handle.workflowId),
    });
  });
  await handle.terminate();
});
