/** What no client of Steersman's sends, by raw gRPC: contents that can't be read, names that the SDK keeps. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import { WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { expect, test } from 'vitest';
import { WORKFLOW_TYPE } from '../../src/run/agents/run-config.js';
import type { JournalEvent } from '../../src/run/state/journal.js';
import { eventsQuery, stateQuery } from '../../src/workflows/run/definitions.js';
import { rigOfFile } from '../support/rig-of-file.js';
import { SHORT_RUN_FILES, shortestScript } from '../support/team-script.js';
import { until } from '../support/wait.js';

const rig = rigOfFile({ workspace: SHORT_RUN_FILES });

const utf8 = (text: string) => new TextEncoder().encode(text);

function payload(encoding: string | null, data: string) {
  return { metadata: encoding === null ? {} : { encoding: utf8(encoding) }, data: utf8(data) };
}

type RawPayload = ReturnType<typeof payload>;

async function idleRun(): Promise<WorkflowHandle> {
  rig.play(shortestScript());
  const handle = await rig.start('How many boats?', { keepOpenSeconds: 600 });
  await until('the goal is answered', async () => (await handle.query(stateQuery)).phase === 'idle');
  return handle;
}

async function signal(
  { workflowId }: WorkflowHandle,
  signalName: string,
  content: RawPayload[],
): Promise<void> {
  await rig.env.client.workflowService.signalWorkflowExecution({
    namespace: 'default',
    workflowExecution: { workflowId },
    signalName,
    input: { payloads: content },
    requestId: `${workflowId} ${signalName}`,
  });
}

async function eventOf<T extends JournalEvent['type']>(
  handle: WorkflowHandle,
  type: T,
): Promise<Extract<JournalEvent, { type: T }>> {
  const isOfType = (event: JournalEvent): event is Extract<JournalEvent, { type: T }> => event.type === type;
  return until(type, async () => (await handle.query(eventsQuery, 0)).events.findLast(isOfType));
}

async function failedTasksOf(handle: WorkflowHandle): Promise<number> {
  const { events } = await handle.fetchHistory();
  return (events ?? []).filter(event => event.workflowTaskFailedEventAttributes).length;
}

test.each<[string, RawPayload]>([
  ['no JSON', payload('json/plain', 'not json')],
  ['an encoding that nobody here knows', payload('binary/encrypted', 'x')],
  ['no encoding', payload(null, '')],
])('a signal: its content has %s → it counts as nothing, and the run goes on (ST4)', async (_, content) => {
  const handle = await idleRun();
  await signal(handle, 'followUp', [content]);
  expect(await eventOf(handle, 'signal_ignored')).toMatchObject({
    signal: 'followUp',
    reason: expect.stringContaining('got nothing'),
  });
  await signal(handle, 'finish', [content]);
  await handle.result();
  expect(await failedTasksOf(handle)).toBe(0);
});

test('a signal: JSON that is called protobuf, as the Web UI offers → read as the JSON that it is (ST4)', async () => {
  const handle = await idleRun();
  await signal(handle, 'pause', [payload('json/protobuf', '{"reason":"lunch"}')]);
  expect(await eventOf(handle, 'paused')).toMatchObject({ reason: 'lunch' });
  await signal(handle, 'stop', []);
  await handle.result();
  expect(await failedTasksOf(handle)).toBe(0);
});

test('a signal: its name is one that the SDK keeps for itself → ignored, and the run goes on (ST4)', async () => {
  const handle = await idleRun();
  await signal(handle, '__temporal_steer', [payload('json/plain', '{"text":"hello"}')]);
  expect(await eventOf(handle, 'signal_ignored')).toMatchObject({ signal: 'reserved: __temporal_steer' });
  await signal(handle, 'finish', []);
  await handle.result();
  expect(await failedTasksOf(handle)).toBe(0);
});

test('a signal: an answer for all runs at once, and no workflow has started this one → ignored, its gate stays open (TR13)', async () => {
  rig.play(shortestScript());
  const handle = await rig.start('How many boats?', { attended: true, approvePlan: true });
  const [gate] = await until('the plan waits', async () => {
    const { gates } = await handle.query(stateQuery);
    return gates.length > 0 && gates;
  });
  const { workflowId } = handle;
  const answer = JSON.stringify({ gateId: gate?.id, decision: 'approve' });
  await rig.env.client.workflowService.startBatchOperation({
    namespace: 'default',
    jobId: `answer-${workflowId}`,
    reason: 'none of its user',
    visibilityQuery: `WorkflowId = '${workflowId}'`,
    signalOperation: { signal: 'answer', input: { payloads: [payload('json/plain', answer)] } },
  });
  expect(await eventOf(handle, 'signal_ignored')).toMatchObject({ signal: 'answer' });
  expect((await handle.query(stateQuery)).gates).toMatchObject([{ id: gate?.id }]);
  await handle.signal('stop');
  await handle.result().catch(() => {});
});

test('a start: input and memo that can not be read → the run fails at once with what is wrong (ST5)', async () => {
  const workflowId = 'start-unreadable';
  await rig.env.client.workflowService.startWorkflowExecution({
    namespace: 'default',
    workflowId,
    workflowType: { name: WORKFLOW_TYPE },
    taskQueue: { name: rig.taskQueue },
    input: { payloads: [payload('binary/encrypted', 'x')] },
    memo: { fields: { goal: payload('json/plain', 'not json') } },
    requestId: workflowId,
  });
  const error: unknown = await rig.env.client.workflow.result(workflowId).catch((reason: unknown) => reason);
  const cause = error instanceof WorkflowFailedError ? error.cause : error;
  expect(cause).toBeInstanceOf(ApplicationFailure);
  expect(cause).toMatchObject({ type: 'run.bad_input' });
});

test('an activity: a client starts a tool call without a run → refused, and the tool does not run (TR7)', async () => {
  const path = join(rig.project.workspace, 'written.txt');
  const call = {
    callId: 'c1',
    toolUseId: 't1',
    tool: 'write_file',
    serverToolName: 'write_file',
    server: 'filesystem',
    arguments: { path, content: 'by nobody' },
    timeoutMs: 5_000,
    idempotent: true,
    workspace: rig.project.workspace,
    context: {},
  };
  const { workflowService } = rig.env.client;
  const activityId = 'tool-call-of-nobody';
  const { runId } = await workflowService.startActivityExecution({
    namespace: 'default',
    activityId,
    activityType: { name: 'steersmanCallTool' },
    taskQueue: { name: rig.taskQueue },
    scheduleToCloseTimeout: { seconds: 20 as never },
    input: { payloads: [payload('json/plain', JSON.stringify(call))] },
    requestId: activityId,
  });
  const { outcome } = await workflowService.pollActivityExecution({
    namespace: 'default',
    activityId,
    runId,
  });
  expect(outcome?.failure).toMatchObject({ message: expect.stringContaining('start a run instead') });
  expect(existsSync(path)).toBe(false);
});
