import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Rig } from '../support/rig.js';
import { sharedTemporal, startRig } from '../support/rig.js';
import { transcriptOf, withoutTimes } from '../support/run-views.js';
import { BOATS, BUSINESS, teamScript } from '../support/team-script.js';

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
