import { join } from 'node:path';
import { Worker, type WorkerPlugin } from '@temporalio/worker';
import { expect, onTestFinished, test } from 'vitest';
import { checkServer } from '../../packages/cli/doctor/check-server.js';
import type { Temporal } from '../../src/client/connection/connect.js';
import { RunReader } from '../../src/client/record/run-reader.js';
import { watchRun } from '../../src/client/watch/watch-run.js';

import { SteersmanPlugin } from '../../src/worker/plugin.js';
import { resetPoint } from '../../src/worker/replay.js';
import { finishSignal, stateQuery, steerSignal } from '../../src/workflows/run/definitions.js';
import { workflowBundle } from '../support/histories.js';
import { rigOfFile } from '../support/rig-of-file.js';
import { SHORT_RUN_FILES, shortestScript } from '../support/team-script.js';
import { until } from '../support/wait.js';

const WRITER = `---
description: Writes.
output: text
tools: ['*_artifact']
---
{{businessContext}}
`;

const rig = rigOfFile({
  workspace: SHORT_RUN_FILES,
  config: { 'prompts/core/writer.md': WRITER },
  replay: false,
});

/** A worker of another version, which calls models by another activity. */
function otherVersion(): Promise<Worker> {
  const code = workflowBundle().code.replaceAll('steersmanCallModel', 'steersmanCallAnotherModel');
  const sinks = { steersman: { offer: { fn: () => {} } } };
  const connection = rig.env.nativeConnection;
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
      client: rig.env.client,
      address: rig.env.address,
      namespace: 'default',
      local: null,
      close: async () => {},
    };
    const leave = new AbortController();
    for await (const item of watchRun(new RunReader(temporal, handle.workflowId), {
      pollMs: 50,
      signal: leave.signal,
    })) {
      if (item.type === 'notice' && /does not fit the code of worker/.test(item.text)) leave.abort();
    }
    const shown = await new RunReader(temporal, handle.workflowId).snapshot();
    expect(shown.stuck).toMatchObject({
      what: expect.stringMatching(/TMPRL1100/),
      todo: expect.stringMatching(/--replay.* can be reset to/),
    });
    const findings = await checkServer(rig.env.client, { namespace: 'default', taskQueue: null, fix: false });
    expect(findings.find(({ check }) => check === 'run')).toMatchObject({
      status: 'failed',
      found: expect.stringContaining(handle.workflowId),
    });
  });
  await handle.terminate();
});

test('a run that began with another version → this one names the event from which it goes on, and repeats what came after alone (ST3)', async () => {
  await rig.stopWorker();
  await rig.startWorker();
  const script = rig.play([
    { toolCalls: [{ name: 'create_artifact', arguments: { id: 'a', type: 'markdown', content: 'x' } }] },
    { text: 'It is written.' },
    { text: 'It is written again.' },
  ]);
  const handle = await rig.start('Write', { mode: 'react', role: 'writer', keepOpenSeconds: 600 });
  // What is left of it would take the replies of another try.
  const leave = () => rig.env.client.workflow.getHandle(handle.workflowId).terminate();
  onTestFinished(() =>
    leave().then(
      () => undefined,
      () => undefined,
    ),
  );
  await until('the goal is answered', async () => (await handle.query(stateQuery)).phase === 'idle');
  await rig.stopWorker();
  const { runId = '' } = (await handle.describe()).raw.workflowExecutionInfo?.execution ?? {};
  const code = workflowBundle().code.replaceAll('steersmanEditArtifact', 'steersmanEditArtifactAnew');
  const [workflowId, history] = [handle.workflowId, await handle.fetchHistory()];
  const point = await resetPoint({ workflowId, history }, { workflowBundle: { code } });
  expect(point?.again).toEqual([
    expect.stringContaining('create_artifact'),
    expect.stringMatching(/writer · .*round 2/),
    'keep the conversation',
  ]);

  const event = history.events?.find(({ eventId }) => Number(eventId) === point?.eventId);
  await rig.env.client.workflowService.resetWorkflowExecution({
    namespace: 'default',
    workflowExecution: { workflowId, runId },
    workflowTaskFinishEventId: event?.eventId ?? null,
    requestId: 'reset',
    reason: 'new version',
  });
  const other = await newVersion(code);
  await other.runUntil(async () => {
    const again = rig.env.client.workflow.getHandle(workflowId);
    await until('it is answered again', async () => (await again.query(stateQuery)).phase === 'idle');
    await again.signal(finishSignal);
    expect(await again.result()).toMatchObject({ text: 'It is written again.' });
  });
  expect(script.requests).toHaveLength(3);
});

/** Its code calls one activity by another name, and it has that one. */
function newVersion(code: string): Promise<Worker> {
  const { configDir, dir } = rig.project;
  const plugin = new SteersmanPlugin({ configDir, home: join(dir, 'home') });
  const renamed: WorkerPlugin = {
    name: 'renamed',
    configureWorker: ({ activities, ...options }) => {
      const { steersmanEditArtifact } = { steersmanEditArtifact: null, ...activities };
      return { ...options, activities: { ...activities, steersmanEditArtifactAnew: steersmanEditArtifact } };
    },
  };
  const { taskQueue } = rig;
  const connection = rig.env.nativeConnection;
  return Worker.create({ connection, taskQueue, workflowBundle: { code }, plugins: [plugin, renamed] });
}
