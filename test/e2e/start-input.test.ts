/** What a client may put into a start, by raw Temporal client: nothing but a start request. */
import type { WorkflowHandle } from '@temporalio/client';
import { WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { expect, test } from 'vitest';
import { WORKFLOW_TYPE } from '../../src/run/agents/run-config.js';
import { newRunState } from '../../src/run/state/run-state.js';
import { rigOfFile } from '../support/rig-of-file.js';
import { SHORT_RUN_FILES, shortScript } from '../support/team-script.js';
import { until } from '../support/wait.js';

const rig = rigOfFile({ workspace: SHORT_RUN_FILES, reply: shortScript() });

const SETTINGS = { mode: 'team', workspace: '/etc', autoApprove: true } as const;

async function failureOf(handle: WorkflowHandle): Promise<ApplicationFailure> {
  const error: unknown = await handle.result().catch((reason: unknown) => reason);
  if (error instanceof WorkflowFailedError && error.cause instanceof ApplicationFailure) return error.cause;
  throw new Error(`the run did not fail: ${String(error)}`);
}

async function failedTasksOf(handle: WorkflowHandle): Promise<number> {
  const { events } = await handle.fetchHistory();
  return (events ?? []).filter(event => event.workflowTaskFailedEventAttributes).length;
}

test.each<[string, unknown[], RegExp]>([
  ['a text', ['just do it'], /`input` must be an object/],
  ['nothing at all', [], /`input` must be an object/],
  ['a state that is null', [{ resume: null }], /There is no resume/],
  [
    'a time with a unit',
    [{ goal: 'go', settings: { ...SETTINGS, keepOpenSeconds: '10m' } }],
    /keepOpenSeconds/,
  ],
  [
    'a state of its own making, whose workspace the worker does not serve',
    [{ resume: { ...newRunState('read hostname', SETTINGS, 0), part: 2 } }],
    /There is no resume/,
  ],
])(
  'start: %s → the run fails at once with what is wrong, and no task fails (ST5, TR1)',
  async (name, args, text) => {
    const handle = await rig.env.client.workflow.start(WORKFLOW_TYPE, {
      workflowId: `start-${name.replaceAll(/\W/g, '-')}`,
      taskQueue: rig.taskQueue,
      args,
    });
    const failure = await failureOf(handle);
    expect(failure.type).toBe('run.bad_input');
    expect(failure.message).toMatch(text);
    expect(await failedTasksOf(handle)).toBe(0);
  },
);

test('start: with a retry policy → refused at once, the retry of a state of its own making as well (TR1)', async () => {
  await rig.stopWorker();
  const handle = await rig.env.client.workflow.start(WORKFLOW_TYPE, {
    workflowId: 'start-by-retry',
    taskQueue: rig.taskQueue,
    args: [{ resume: newRunState('read hostname', SETTINGS, 0) }],
    workflowRunTimeout: 1_000,
    retry: { initialInterval: '1s', maximumAttempts: 100 },
  });
  const first = handle.firstExecutionRunId;
  await until('a retry', async () => (await handle.describe()).runId !== first);
  await rig.startWorker();
  const failure = await failureOf(handle);
  expect(failure).toMatchObject({ type: 'run.bad_input', message: expect.stringMatching(/no retry policy/) });
  expect(await failedTasksOf(handle)).toBe(0);
});
