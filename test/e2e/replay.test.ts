import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { freezeHistories, frozenHistories, partsOf, replayAll } from '../support/histories.js';
import type { Rig } from '../support/rig.js';
import { sharedTemporal, startRig } from '../support/rig.js';
import { transcriptOf, withoutTimes } from '../support/run-views.js';
import {
  BOATS,
  BUSINESS,
  SHORT_RUN_FILES,
  shortestScript,
  shortScript,
  teamScript,
} from '../support/team-script.js';

/**
 * Records the frozen histories anew: only for changes that old runs need not survive.
 * `RECORD_HISTORIES=1 npx vitest run --project e2e test/e2e/replay.test.ts`
 */
const RECORD = process.env.RECORD_HISTORIES === '1';

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

test.runIf(RECORD)('record: two runs, one of them continued as new → the frozen histories', async () => {
  rig = await startRig({ env, workspace: BOATS, config: BUSINESS, reply: teamScript() });
  const whole = await rig.run('Which boat is older?');
  rig.play(shortestScript());
  const continued = await rig.run('How many boats?', { continueAsNew: 'every-safe-point' });
  freezeHistories({
    'team-run': await partsOf(env.client, whole.handle),
    'continued-run': await partsOf(env.client, continued.handle),
  });
});

test('frozen histories: runs of earlier code, one continued as new → the current code replays them (J6, L20)', async ({
  skip,
}) => {
  const histories = frozenHistories();
  if (histories.length === 0) skip('none are recorded yet');
  const ends = histories.map(({ history }) => history.events?.at(-1));
  expect(ends.some(event => event?.workflowExecutionContinuedAsNewEventAttributes)).toBe(true);
  expect(ends.some(event => event?.workflowExecutionCompletedEventAttributes)).toBe(true);
  await replayAll(histories);
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
