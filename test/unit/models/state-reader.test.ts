import { WorkflowNotFoundError } from '@temporalio/common';
import { describe, expect, it, vi } from 'vitest';
import {
  createStateReader,
  OfferedRequests,
  type PageQuery,
  RequestCache,
} from '../../../src/activities/models/state-reader.js';
import type { ModelRequestHead, ModelRequestPage } from '../../../src/rules/prompts/model-request.js';
import { FAILURE } from '../../../src/run/limits/failure.js';
import type { Message } from '../../../src/run/messages/message.js';
import { failureOf, user } from '../../support/model-calls.js';

const HEAD: ModelRequestHead = {
  prefix: 'own',
  system: 'S',
  tools: [],
  output: 'text',
  dialect: 'component',
  toolChoice: 'auto',
  topP: null,
  reasoning: null,
  toolSyntax: null,
  stop: [],
  temperature: null,
  maxOutputTokens: null,
};
const FAST = { minWaitMs: 1, maxWaitMs: 4 };
const open = new AbortController().signal;

/** A workflow's side of the query: threads of messages, pages of `pageSize`. */
function workflow(pageSize = 100) {
  const threads: Record<string, { epoch: number; messages: Message[] }> = {};
  const calls: Record<string, { thread: string; headKey: string }> = {};
  const asked: PageQuery[] = [];
  const query = async (
    call: { callId: string; role: string },
    page: PageQuery,
  ): Promise<ModelRequestPage> => {
    asked.push(page);
    const pinned = calls[call.callId] ?? { thread: 'main', headKey: 'h1' };
    const thread = threads[pinned.thread] ?? { epoch: 0, messages: [] };
    const slice = thread.messages.slice(page.from, page.from + pageSize);
    const end = page.from + slice.length;
    return {
      callId: call.callId,
      role: call.role,
      thread: pinned.thread,
      epoch: thread.epoch,
      headKey: pinned.headKey,
      from: page.from,
      messages: slice,
      next: end < thread.messages.length ? end : null,
      ...(page.headKey === pinned.headKey ? {} : { head: { ...HEAD, system: pinned.headKey } }),
    };
  };
  return { threads, calls, asked, query };
}

const texts = (count: number, from = 0) =>
  Array.from({ length: count }, (_, n) => user(`text ${from + n}`, `m${from + n}`));
const call = (callId: string, role = 'executor') => ({
  workflowId: 'w',
  runId: 'r',
  callId,
  role,
  check: '1',
});
describe('state reader', () => {
  it('cold → all pages; next call of the role → only what is new, and no head', async () => {
    const run = workflow(4);
    run.threads.main = { epoch: 0, messages: texts(10) };
    const read = createStateReader(run.query);
    expect((await read(call('c1'), open)).messages).toHaveLength(10);
    expect(run.asked.map(page => page.from)).toEqual([0, 4, 8]);
    run.threads.main.messages.push(...texts(2, 10));
    const second = await read(call('c2'), open);
    expect(second.messages).toEqual(run.threads.main.messages);
    expect(second.head.system).toBe('h1');
    expect(run.asked.slice(3)).toEqual([{ from: 10, headKey: 'h1' }]);
  });

  it('another role on the same thread → its own head', async () => {
    const run = workflow();
    run.threads.main = { epoch: 0, messages: texts(3) };
    run.calls.c2 = { thread: 'main', headKey: 'h2' };
    const read = createStateReader(run.query);
    await read(call('c1'), open);
    expect(await read(call('c2', 'verifier'), open)).toMatchObject({ head: { system: 'h2' } });
    expect((await read(call('c1'), open)).head.system).toBe('h1');
  });

  it('new epoch or other thread → read again from the start, nothing of the old one', async () => {
    const run = workflow();
    run.threads.main = { epoch: 0, messages: texts(5) };
    const read = createStateReader(run.query);
    await read(call('c1'), open);
    run.threads.main = { epoch: 1, messages: texts(3, 20) };
    expect((await read(call('c2'), open)).messages).toEqual(run.threads.main.messages);
    run.threads.other = { epoch: 1, messages: texts(7, 40) };
    run.calls.c3 = { thread: 'other', headKey: 'h1' };
    expect((await read(call('c3'), open)).messages).toEqual(run.threads.other.messages);
  });

  it('another run of the same workflow → nothing shared', async () => {
    const run = workflow();
    run.threads.main = { epoch: 0, messages: texts(2) };
    const read = createStateReader(run.query);
    await read(call('c1'), open);
    await read({ ...call('c2'), runId: 'r2' }, open);
    expect(run.asked.at(-1)).toEqual({ from: 0 });
  });

  it('more than fits the cache → read from the start each time, still right', async () => {
    const run = workflow();
    run.threads.main = { epoch: 0, messages: texts(50) };
    const read = createStateReader(run.query, { maxBytes: 500 });
    await read(call('c1'), open);
    expect((await read(call('c2'), open)).messages).toHaveLength(50);
    expect(run.asked.at(-1)?.from).toBe(0);
  });

  it.each([
    ['not found', new WorkflowNotFoundError('gone', 'w', 'r')],
    ['resource exhausted', grpc(8)],
    ['failed precondition', grpc(9)],
    ['unavailable', new Error('Failed to query Workflow', { cause: grpc(14) })],
  ])('%s twice → asked again until it answers', async (_what, error) => {
    const run = workflow();
    run.threads.main = { epoch: 0, messages: texts(1) };
    let failures = 2;
    const read = createStateReader(async (...args) => {
      if (failures-- > 0) throw error;
      return run.query(...args);
    }, FAST);
    expect((await read(call('c1'), open)).messages).toHaveLength(1);
  });

  it('never answers → state.unavailable, retryable, with the cause', async () => {
    const read = createStateReader(() => Promise.reject(grpc(14)), { ...FAST, giveUpMs: 30 });
    const failure = await failureOf(read(call('c1'), open));
    expect(failure).toMatchObject({ type: FAILURE.stateUnavailable, nonRetryable: false });
    expect(failure.message).toContain('grpc 14');
  });

  it('query refused by the workflow → state.unavailable at once', async () => {
    let asked = 0;
    const read = createStateReader(() => {
      asked++;
      return Promise.reject(grpc(3));
    }, FAST);
    expect(await failureOf(read(call('c1'), open))).toMatchObject({ type: FAILURE.stateUnavailable });
    expect(asked).toBe(1);
  });

  it('aborted while a query hangs → rejects at once', async () => {
    const abort = new AbortController();
    const read = createStateReader(() => {
      queueMicrotask(() => abort.abort(new Error('stop')));
      return new Promise(() => undefined);
    });
    await expect(read(call('c1'), abort.signal)).rejects.toThrow('stop');
  });

  it('aborted while waiting → rejects at once', async () => {
    const abort = new AbortController();
    const read = createStateReader(
      () => {
        queueMicrotask(() => abort.abort(new Error('stop')));
        return Promise.reject(grpc(14));
      },
      { minWaitMs: 60_000, giveUpMs: 600_000 },
    );
    await expect(read(call('c1'), abort.signal)).rejects.toThrow();
  });
});

function grpc(code: number): Error {
  return Object.assign(new Error(`grpc ${code}`), { code });
}

describe('state reader: what the workflow offered on this worker', () => {
  function offering() {
    const run = workflow();
    run.threads.main = { epoch: 0, messages: texts(3) };
    const offers = new OfferedRequests();
    const read = createStateReader(run.query, {}, offers);
    const offer = async (callId: string, from: number, more: Partial<ModelRequestPage> = {}) =>
      offers.add('r', { ...(await run.query(call(callId), { from })), ...more }, '1');
    return { run, offers, read, offer };
  }

  it('offered whole, then only what is new → read without a question', async () => {
    const { run, read, offer } = offering();
    await offer('c1', 0);
    run.asked.length = 0;
    expect((await read(call('c1'), open)).messages).toEqual(run.threads.main?.messages);
    run.threads.main?.messages.push(...texts(2, 3));
    await offer('c2', 3);
    run.asked.length = 0;
    expect(await read(call('c2'), open)).toEqual({
      head: { ...HEAD, system: 'h1' },
      messages: run.threads.main?.messages,
    });
    expect(run.asked).toEqual([]);
  });

  it.each<[string, (made: ReturnType<typeof offering>) => Promise<void>]>([
    [
      'the offer of a task that was worked on again',
      ({ offers, run }) =>
        run.query(call('c1'), { from: 0 }).then(page => offers.add('r', { ...page, messages: [] }, '2')),
    ],
    [
      'the offer of another run',
      ({ offers, run }) =>
        run.query(call('c1'), { from: 0 }).then(page => offers.add('other', { ...page, messages: [] }, '1')),
    ],
    ['only the end of a thread that is not known here', ({ offer }) => offer('c1', 2)],
    ['a part of a request', ({ offer }) => offer('c1', 0, { messages: [], next: 1 })],
  ])('%s → the query is asked', async (_, prepare) => {
    const made = offering();
    await prepare(made);
    made.run.asked.length = 0;
    expect((await made.read(call('c1'), open)).messages).toEqual(made.run.threads.main?.messages);
    expect(made.run.asked).not.toEqual([]);
  });
});

describe('cache of a worker', () => {
  const call = (callId: string) => ({ workflowId: 'w', runId: 'r', callId, role: 'executor', check: '' });
  const TEN_MINUTES_MS = 10 * 60_000;

  it('a run makes no call any more → what is kept of it goes, though nobody asks for it (OP9)', async () => {
    vi.useFakeTimers();
    try {
      const cache = new RequestCache(1e9);
      const side = workflow();
      side.threads.main = { epoch: 0, messages: texts(50) };
      const keep = async () => {
        const page = await side.query(call('c1'), { from: 0 });
        cache.keep(call('c1'), page, page.head ?? HEAD, { base: 0, messages: page.messages, bytes: 5_000 });
      };
      await keep();
      await vi.advanceTimersByTimeAsync(TEN_MINUTES_MS - 1_000);
      await keep();
      await vi.advanceTimersByTimeAsync(TEN_MINUTES_MS - 1_000);
      expect(cache.bytes).toBeGreaterThan(5_000);
      expect(cache.head(call('c1'), 'h1')).not.toBeNull();
      await vi.advanceTimersByTimeAsync(2 * TEN_MINUTES_MS);
      expect([cache.bytes, cache.hint(call('c1'))]).toEqual([0, null]);
    } finally {
      vi.useRealTimers();
    }
  });
});
