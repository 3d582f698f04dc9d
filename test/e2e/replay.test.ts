import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { replays } from '../../src/worker/replay.js';
import { frozenHistories, partsOf, replayAll, workflowBundle } from '../support/histories.js';
import type { Rig } from '../support/rig.js';
import { sharedTemporal, startRig } from '../support/rig.js';
import { transcriptOf, withoutTimes } from '../support/run-views.js';
import { BOATS, BUSINESS, SHORT_RUN_FILES, shortScript, teamScript } from '../support/team-script.js';

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

test('no workflow cache: every task and every query replays → the transcript of a run with one (L20, J6)', async () => {
  const files = { workspace: BOATS, config: BUSINESS };
  const transcripts: unknown[][] = [];
  for (const temporal of [{}, { maxCachedWorkflows: 0 }]) {
    rig = await startRig({ env, ...files, reply: teamScript(), temporal });
    const { handle, result } = await rig.run('Which boat is older?');
    expect(result).toMatchObject({ outcome: 'completed', counters: { turns: 12, toolCalls: 10 } });
    const text = JSON.stringify(withoutTimes(await transcriptOf(handle)));
    transcripts.push(JSON.parse(text.replaceAll(rig.project.workspace, 'WORKSPACE')));
    await rig.close();
    rig = undefined;
  }
  expect(transcripts[1]).toEqual(transcripts[0]);
});
