import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { execution, plan, verdict } from '../../src/testing/role-outputs.js';
import type { Rig } from '../support/rig.js';
import { startRig, startTemporal } from '../support/rig.js';

let env: TestWorkflowEnvironment;
let rig: Rig | undefined;

beforeAll(async () => {
  env = await startTemporal();
});
afterAll(async () => {
  await rig?.close();
  await env?.teardown();
});

test('team run: one task with a real file → the verified answer', async () => {
  rig = await startRig({
    env,
    workspace: { 'README.md': '# Boats\nThree boats.\n' },
    reply: [
      { text: plan({ todos: ['Read README.md'] }) },
      { toolCalls: [{ name: 'read_text_file', arguments: { path: 'README.md' } }] },
      { text: execution({ summary: 'README says: three boats.', taskCompleted: true }) },
      { text: verdict({ summary: 'There are three boats.' }) },
    ],
  });
  const { result } = await rig.run('How many boats?');
  expect(result).toMatchObject({ outcome: 'completed', answer: 'There are three boats.' });
  expect(result.tasks).toMatchObject([{ id: 'task-1', status: 'completed' }]);
  expect(result.trace.steps).toMatchObject([{ ending: 'executed', observation: expect.stringContaining('Three boats') }]);
});
