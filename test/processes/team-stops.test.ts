import { WorkflowFailedError } from '@temporalio/client';
import { CancelledFailure } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { plan } from '../../packages/test-kit/role-outputs.js';
import { WORKFLOW_TYPE } from '../../src/run/agents/run-config.js';
import type { RunResult } from '../../src/workflows/run/definitions.js';
import { stopSignal } from '../../src/workflows/run/definitions.js';
import type { ScriptedReply, ScriptedToolCall } from '../support/endpoint/model.js';
import { type FakeMcp, fakeMcp } from '../support/fake-mcp-server.js';
import { pairingFaults } from '../support/pairing.js';
import type { Rig } from '../support/rig.js';
import { runSettings, sharedTemporal, startRig } from '../support/rig.js';
import { eventsOf, toolSteps, transcriptOf } from '../support/run-views.js';
import { until, untilHeartbeat } from '../support/wait.js';

let env: TestWorkflowEnvironment;
let rig: Rig;
let fake: FakeMcp;
const never = new Promise<never>(() => undefined);
const planned: ScriptedReply = { text: plan({ todos: ['Do it'] }) };

beforeAll(async () => {
  env = await sharedTemporal();
  fake = fakeMcp();
  const mcp = JSON.stringify({ mcpServers: { fake: fake.stdioEntry() } });
  rig = await startRig({ env, config: { '.mcp.json': mcp } });
});
afterEach(() => {
  fake.openGate('gate');
});
afterAll(async () => {
  await rig?.close();
  await env?.teardown();
  fake?.remove();
});

const calls = (...toolCalls: ScriptedToolCall[]): ScriptedReply => ({ toolCalls });
const cutReply: ScriptedReply = {
  text: 'The boats are Alba, ',
  chunkChars: 10,
  hold: { until: never, atChunk: 'end' },
};

describe('stop', () => {
  test('during a model call → aborted, its partial text kept, marked and answered, no further call (L10)', async () => {
    const script = rig.play([planned, cutReply]);
    const handle = await rig.start('Name the boats');
    await untilHeartbeat(handle, 'Alba');
    await handle.signal(stopSignal, { reason: 'enough' });
    const result = (await handle.result()) as RunResult;
    expect(result).toMatchObject({ outcome: 'stopped', text: 'The boats are Alba,' });
    const request = await script.arrived(1);
    await until('the endpoint sees the connection end', () => request.gone.aborted);
    expect(script.requests).toHaveLength(2);
    expect((await transcriptOf(handle)).at(-1)).toMatchObject({
      kind: 'assistant',
      stopReason: 'interrupted',
      content: [{ type: 'text', text: expect.stringContaining('Alba') }],
    });
    expect(await eventsOf(handle, 'stop_requested')).toMatchObject([{ reason: 'enough' }]);
    expect((await handle.describe()).status.name).toBe('COMPLETED');
  });

  test('during a model call that has begun tool calls → they are dropped, nothing is left open (G7)', async () => {
    rig.play([
      planned,
      {
        text: 'I call now.',
        toolCalls: [{ name: 'echo', arguments: { text: 'hi' } }],
        hold: { until: never, atChunk: 'end' },
      },
    ]);
    const handle = await rig.start('Call something');
    await untilHeartbeat(handle, 'hi');
    await handle.signal(stopSignal);
    await handle.result();
    const messages = await transcriptOf(handle);
    expect(pairingFaults(messages)).toEqual({ open: [], stray: [] });
    expect(messages.at(-1)).toMatchObject({ stopReason: 'interrupted', content: [{ type: 'text' }] });
  });

  test('during two reads at the same time → both cancelled, the rest of the batch too, every call has a result (G7, C21)', async () => {
    const script = rig.play([
      planned,
      calls(
        { name: 'slow', arguments: { gate: 'never' } },
        { name: 'slow', arguments: { gate: 'never either' } },
        { name: 'append_line', arguments: { file: `${fake.dir}/never.txt`, line: 'one' } },
      ),
    ]);
    const handle = await rig.start('Wait');
    const slow = (event: string) =>
      fake.events().filter(each => each.tool === 'slow' && each.event === event).length;
    await until('both run', () => slow('call') === 2);
    await handle.signal(stopSignal);
    const result = (await handle.result()) as RunResult;
    expect(result.outcome).toBe('stopped');
    expect(toolSteps(result).map(step => step.ending)).toEqual(['cancelled', 'cancelled', 'cancelled']);
    expect(pairingFaults(await transcriptOf(handle))).toEqual({ open: [], stray: [] });
    expect(fake.events().filter(({ tool }) => tool === 'append_line')).toEqual([]);
    expect(script.requests).toHaveLength(2);
    await until('the server is told of both', () => slow('cancelled') === 2);
  });

  test('during a call that may have effects → it is waited for, its result kept, the rest cancelled', async () => {
    const file = `${fake.dir}/effects.txt`;
    const append: ScriptedToolCall = {
      name: 'append_slow',
      arguments: { file, line: 'one', gate: 'append-gate' },
    };
    rig.play([planned, calls(append, { name: 'append_line', arguments: { file, line: 'two' } })]);
    const handle = await rig.start('Append', { autoApprove: true });
    await until('the effect is there', () => fake.effects('append_slow').length === 1);
    await handle.signal(stopSignal);
    fake.openGate('append-gate');
    const result = (await handle.result()) as RunResult;
    expect(result.outcome).toBe('stopped');
    expect(toolSteps(result).map(step => step.ending)).toEqual(['executed', 'cancelled']);
    expect(fake.effects()).toHaveLength(1);
  });

  test('while a failing model is retried → no waiting for its Retry-After', async () => {
    const script = rig.play(() => ({ error: { status: 503, headers: { 'retry-after': '30' } } }));
    const handle = await rig.start('Anything');
    await script.arrived(0);
    await until('the retry is waiting', async () => {
      const [pending] = (await handle.describe()).raw.pendingActivities ?? [];
      return pending?.lastFailure && pending.activityType?.name === 'steersmanCallModel';
    });
    await handle.signal(stopSignal);
    expect(await handle.result()).toMatchObject({ outcome: 'stopped' });
    expect(script.requests).toHaveLength(1);
  });

  test('twice → the second is noted as ignored', async () => {
    rig.play([planned, cutReply]);
    const handle = await rig.start('Name the boats');
    await untilHeartbeat(handle, 'Alba');
    await handle.signal(stopSignal, { reason: 'first' });
    await handle.signal(stopSignal, { reason: 'second' });
    await handle.result();
    expect(await eventsOf(handle, 'stop_requested')).toMatchObject([{ reason: 'first' }]);
    expect(await eventsOf(handle, 'signal_ignored')).toMatchObject([{ signal: 'stop' }]);
  });
});

describe('cancel', () => {
  async function cancelled(handle: Awaited<ReturnType<Rig['start']>>): Promise<RunResult> {
    const error = await handle.result().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(WorkflowFailedError);
    expect((error as WorkflowFailedError).cause).toBeInstanceOf(CancelledFailure);
    const { status, memo } = await handle.describe();
    expect(status.name).toBe('CANCELLED');
    return memo?.result as RunResult;
  }

  test('during a model call → Canceled, with the result so far in the memo', async () => {
    rig.play([planned, cutReply]);
    const handle = await rig.start('Name the boats');
    await untilHeartbeat(handle, 'Alba');
    await handle.cancel();
    expect(await cancelled(handle)).toMatchObject({
      id: handle.workflowId,
      outcome: 'cancelled',
      text: 'The boats are Alba,',
      tasks: [{ id: 'task-1' }],
      counters: { turns: 2 },
    });
  });

  test('during a tool call → Canceled, every call has its result (G7)', async () => {
    rig.play([
      planned,
      calls({ name: 'slow', arguments: { gate: 'never' } }, { name: 'echo', arguments: { text: 'hi' } }),
    ]);
    const before = fake.events().length;
    const handle = await rig.start('Wait');
    await until('the tool runs', () =>
      fake
        .events()
        .slice(before)
        .some(({ tool }) => tool === 'slow'),
    );
    await handle.cancel();
    expect(await cancelled(handle)).toMatchObject({ outcome: 'cancelled' });
    expect(pairingFaults(await transcriptOf(handle))).toEqual({ open: [], stray: [] });
    expect(await eventsOf(handle, 'run_ended')).toMatchObject([{ outcome: 'cancelled' }]);
  });
});

describe('while prompts and tools are loaded', () => {
  let slow: Rig;
  beforeAll(async () => {
    // It greets nobody.
    const mute = {
      command: process.execPath,
      args: ['-e', 'process.stdin.resume()'],
      startTimeoutMs: 110_000,
    };
    slow = await startRig({ env, config: { '.mcp.json': JSON.stringify({ mcpServers: { mute } }) } });
  });
  afterAll(() => slow?.close());

  async function startLoading() {
    const handle = await slow.start('Wait for the tools');
    const isStarted = async () =>
      (await handle.describe()).raw.pendingActivities?.some(({ state }) => state === STARTED);
    await until('a worker loads the run', isStarted);
    return handle;
  }
  const STARTED = 2;

  test('a stop while a tool server starts → stopped without waiting for it (L10)', async () => {
    const handle = await startLoading();
    await handle.signal(stopSignal);
    expect(await handle.result()).toMatchObject({ outcome: 'stopped', cause: 'stopped' });
  });

  test('a cancellation while a tool server starts → cancelled without waiting for it', async () => {
    const handle = await startLoading();
    await handle.cancel();
    const error = await handle.result().catch((each: unknown) => each);
    expect(error).toMatchObject({ cause: expect.any(CancelledFailure) });
  });

  test('a stop that comes with the start → stopped, nothing is loaded', async () => {
    const handle = await slow.env.client.workflow.signalWithStart(WORKFLOW_TYPE, {
      args: [{ goal: 'Never mind', settings: runSettings(slow.project.workspace) }],
      taskQueue: slow.taskQueue,
      workflowId: `${slow.taskQueue}-stopped-at-once`,
      signal: stopSignal,
    });
    expect(await handle.result()).toMatchObject({ outcome: 'stopped' });
    const { events } = await handle.fetchHistory();
    expect(events?.filter(event => event.activityTaskScheduledEventAttributes)).toEqual([]);
  });
});
