import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { replays } from '../../src/worker/replay.js';
import { frozenHistories, partsOf, replayAll, workflowBundle } from '../support/histories.js';
import type { Rig } from '../support/rig.js';
import { sharedTemporal, startRig } from '../support/rig.js';
import { SHORT_RUN_FILES, shortScript } from '../support/team-script.js';

let env: TestWorkflowEnvironment;
let rig: Rig | undefined;

beforeAll(async () => {
  env = await sharedTemporal();
});
afterEach(async () => {
  await rig?.close();
  rig = undefined;
});
afterAll(async () => {
  await env?.teardown();
});

test('frozen histories: runs of earlier code, whole ones and parts → the current code replays them (J6, L20)', async () => {
  const histories = frozenHistories();
  const faults: string[] = [];
  let at = 0;
  // In their order.
  for await (const { fault } of replays(histories, { workflowBundle: workflowBundle() })) {
    if (fault !== null) faults.push(`${histories[at]?.name}: ${fault.slice(0, 300)}`);
    at += 1;
  }
  expect(at).toBe(histories.length);
  expect(faults).toEqual([]);
});

test('replay: a history that the code would not make → refused, so that a green replay means something (J6)', async () => {
  rig = await startRig({ env, workspace: SHORT_RUN_FILES, reply: shortScript() });
  const { handle } = await rig.run('How many boats?');
  const [part] = await partsOf(env.client, handle);
  const scheduled = part?.history.events?.find(
    event => event.activityTaskScheduledEventAttributes?.activityType?.name === 'steersmanCallTool',
  )?.activityTaskScheduledEventAttributes;
  if (!part || !scheduled) throw new Error('the run has called no tool');
  await replayAll([part]);
  scheduled.activityType = { name: 'steersmanSomethingElse' };
  await expect(replayAll([part])).rejects.toThrow(/does not replay/);
});
