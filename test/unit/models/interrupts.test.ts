import { ActivityCancellationDetails, CancelledFailure } from '@temporalio/common';
import { afterEach, describe, expect, it } from 'vitest';
import { tailOf } from '../../../src/models/reply/live-text.js';
import { FAILURE } from '../../../src/run/limits/failure.js';
import { type ScriptedModel, type ScriptedReply, startScriptedModel } from '../../support/endpoint/model.js';
import { failureOf, runCall, startCall } from '../../support/model-calls.js';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map(server => server.close()));
});

async function scripted(reply: ScriptedReply): Promise<ScriptedModel> {
  const server = await startScriptedModel({ reply: [reply] });
  open.push(server);
  return server;
}

const never = new Promise<never>(() => undefined);

describe('an interrupt', () => {
  it('in the middle of a reply → result with the partial text, no tool calls, and the request is aborted', async () => {
    const server = await scripted({
      reasoning: 'Hm.',
      text: 'A long story',
      toolCalls: [{ name: 'read', arguments: { path: 'a' } }],
      hold: { until: never, atChunk: 'end' },
    });
    const call = startCall({ baseUrl: server.baseUrl });
    await call.shown('"path"');
    call.environment.cancel('CANCELLED');
    expect(await call.result).toMatchObject({
      stopReason: 'interrupted',
      content: [
        { type: 'reasoning', text: 'Hm.' },
        { type: 'text', text: 'A long story' },
      ],
      usage: { outputTokens: expect.any(Number) },
    });
    const gone = server.requests[0]?.gone;
    if (gone && !gone.aborted) await new Promise(resolve => gone.addEventListener('abort', resolve));
    expect(gone?.aborted).toBe(true);
  });

  it('before the first part → empty result, marked', async () => {
    const server = await scripted({ text: 'never', hold: { until: never } });
    const call = startCall({ baseUrl: server.baseUrl });
    await server.requestArrived(0);
    call.environment.cancel('CANCELLED');
    expect(await call.result).toMatchObject({ stopReason: 'interrupted', content: [] });
  });

  it('while the state is read → empty result that used nothing', async () => {
    const readState = (_call: unknown, signal: AbortSignal) =>
      new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const call = startCall({ baseUrl: 'http://127.0.0.1:9/v1', deps: { readState } });
    call.environment.cancel('CANCELLED');
    expect(await call.result).toMatchObject({
      stopReason: 'interrupted',
      content: [],
      usage: { inputTokens: 0 },
    });
  });

  it.each([
    ['worker shutdown', 'WORKER_SHUTDOWN', { workerShutdown: true }],
    ['a timeout', 'TIMED_OUT', { timedOut: true }],
    ['the end of the run', 'NOT_FOUND', { notFound: true }],
  ] as const)('abort for %s → worker.shutdown, retryable, never a result', async (_why, reason, details) => {
    const server = await scripted({ text: 'A long story', hold: { until: never, atChunk: 'end' } });
    const call = startCall({ baseUrl: server.baseUrl });
    await call.shown('story');
    call.environment.cancel(reason, new ActivityCancellationDetails(details));
    expect(await failureOf(call.result)).toMatchObject({ type: FAILURE.workerShutdown, nonRetryable: false });
  });

  it.each([
    ['pause', 'PAUSED', { paused: true }],
    ['reset', 'RESET', { reset: true }],
  ] as const)(
    'abort for a %s → CancelledFailure, which the SDK reports as such',
    async (_why, reason, details) => {
      const server = await scripted({ text: 'A long story', hold: { until: never, atChunk: 'end' } });
      const call = startCall({ baseUrl: server.baseUrl });
      await call.shown('story');
      call.environment.cancel(reason, new ActivityCancellationDetails(details));
      expect(await call.result.catch((error: unknown) => error)).toBeInstanceOf(CancelledFailure);
    },
  );

  it('worker begins to shut down → worker.shutdown at once, retryable', async () => {
    const server = await scripted({ text: 'A long story', hold: { until: never, atChunk: 'end' } });
    const shutdown = new AbortController();
    const call = startCall({ baseUrl: server.baseUrl, deps: { shuttingDown: shutdown.signal } });
    await call.shown('story');
    shutdown.abort();
    expect(await failureOf(call.result)).toMatchObject({ type: FAILURE.workerShutdown, nonRetryable: false });
  });

  it('connection breaks after the reply was complete → the whole reply', async () => {
    const server = await scripted({ text: 'Whole.', fault: 'stream.cut-after-end' });
    const result = await runCall({ baseUrl: server.baseUrl });
    expect(result).toMatchObject({ stopReason: 'end_turn', content: [{ type: 'text', text: 'Whole.' }] });
  });

  it('after the reply was complete → the whole reply wins', async () => {
    const server = await scripted({
      text: 'Whole.',
      toolCalls: [{ name: 'read', arguments: '{"path":"a"}', id: 't1' }],
      fault: 'stream.open-after-end',
    });
    const call = startCall({ baseUrl: server.baseUrl });
    await call.shown('read {"path":"a"}');
    call.environment.cancel('CANCELLED');
    expect(await call.result).toMatchObject({
      stopReason: 'tool_use',
      content: [
        { type: 'text', text: 'Whole.' },
        { type: 'tool_use', id: 't1' },
      ],
    });
  });
});

describe('live text', () => {
  it('heartbeats: none at the start, for most calls are over soon; they repeat while the model is silent', async () => {
    const server = await scripted({ text: 'late', hold: { until: never } });
    const call = startCall({ baseUrl: server.baseUrl, deps: { live: { throttleMs: 5, idleMs: 10 } } });
    expect(call.heartbeats).toEqual([]);
    await new Promise<void>(resolve => {
      call.environment.on('heartbeat', () => call.heartbeats.length >= 4 && resolve());
    });
    expect(call.heartbeats[0]).toMatchObject({
      callId: 'c1',
      attempt: 1,
      channel: 'text',
      offset: 0,
      tail: '',
    });
    call.environment.cancel('CANCELLED');
    await call.result;
    const beats = call.heartbeats.length;
    await runCall({ baseUrl: (await scripted({ text: 'other' })).baseUrl });
    expect(call.heartbeats.length).toBe(beats);
  });

  it.each([
    ['reasoning', { reasoning: 'thinking' }, 'thinking', { offset: 0, tail: 'thinking' }],
    ['text', { text: `${'x'.repeat(3_000)}.` }, '.', { offset: 1_001, tail: `${'x'.repeat(1_999)}.` }],
    [
      'tool_input',
      { toolCalls: [{ name: 'read', arguments: { path: 'a' } }] },
      '"path"',
      { tail: expect.stringMatching(/^read /) },
    ],
  ] as const)(
    '%s of a reply → its channel, with the tail and where it begins (V3)',
    async (channel, reply, end, live) => {
      let release = () => {};
      const seen = new Promise<void>(resolve => {
        release = resolve;
      });
      const server = await scripted({ ...reply, hold: { until: seen, atChunk: 'end' } } as ScriptedReply);
      const call = startCall({ baseUrl: server.baseUrl });
      expect(await call.shown(end)).toMatchObject({ callId: 'c1', attempt: 1, channel, ...live });
      release();
      await call.result;
    },
  );

  it.each([
    ['abc', 2, { offset: 1, tail: 'bc' }],
    ['a😀b', 2, { offset: 3, tail: 'b' }],
    ['ab\ud83d', 2, { offset: 1, tail: 'b' }],
    ['', 2, { offset: 0, tail: '' }],
  ])('tail of %j in %i characters → never half a character', (text, chars, expected) => {
    expect(tailOf(text, chars)).toEqual(expected);
  });
});
