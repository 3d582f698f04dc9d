/** Reads a call's content from the workflow that made it (docs/architecture.md, "A model call"). */

import { ApplicationFailure } from '@temporalio/common';
import { LRUCache } from 'lru-cache';
import { errorTextWithCause } from '../../base/text/error-text.js';
import type { ModelRequestHead, ModelRequestPage } from '../../rules/prompts/model-request.js';
import { FAILURE } from '../../run/limits/failure.js';
import type { Message } from '../../run/messages/message.js';
import { askPatiently } from '../../shared/query-errors.js';

/** The call that asks, and its run. */
export interface CallReference {
  workflowId: string;
  runId: string;
  callId: string;
  role: string;
  /** Identifies the valid offer (`CallModelInput.check`). */
  check: string;
}

export interface PageQuery {
  /** Index of the first message wanted. */
  from: number;
  /** The request's head that the reader already has: see `ModelRequestHead`. */
  headKey?: string;
}

/** Sends the query `modelRequest`. */
export type QueryModelRequest = (call: CallReference, page: PageQuery) => Promise<ModelRequestPage>;

export interface ModelRequestState {
  head: ModelRequestHead;
  messages: Message[];
}

export interface StateReaderOptions {
  /** Approximate bytes of cached messages and heads. Default 256 MB. */
  maxBytes: number;
  /** The first and longest wait between two attempts, milliseconds; each wait doubles. Default 50 and 5,000. */
  minWaitMs: number;
  maxWaitMs: number;
  /** Milliseconds after which the read fails as `state.unavailable`. Default 40,000. */
  giveUpMs: number;
}

const DEFAULT_STATE_READER: StateReaderOptions = {
  maxBytes: 256 * 1024 * 1024,
  minWaitMs: 50,
  maxWaitMs: 5_000,
  giveUpMs: 40_000,
};

/** Returns a call's content. Throws ApplicationFailure `state.unavailable`, retryable; rejects when aborted. */
export type StateReader = (call: CallReference, signal: AbortSignal) => Promise<ModelRequestState>;

/** Cached messages of a thread, from index `base` on. Never changed, only replaced. */
interface Prefix {
  base: number;
  messages: readonly Message[];
  bytes: number;
}

/** Requests that workflows of this worker offered for their next calls. */
export class OfferedRequests {
  // The call takes its offer within moments, or never, if another worker has the call.
  readonly #pages = new LRUCache<string, ModelRequestPage>({
    maxSize: 64 * 1024 * 1024,
    sizeCalculation: page => weightOf(page),
    ttl: 60_000,
    ttlAutopurge: true,
  });

  add(runId: string, page: ModelRequestPage, check: string): void {
    this.#pages.set(`${runId} ${page.callId} ${check}`, page);
  }

  take({ runId, callId, check }: CallReference): ModelRequestPage | undefined {
    const key = `${runId} ${callId} ${check}`;
    const page = this.#pages.get(key);
    this.#pages.delete(key);
    return page;
  }
}

const EMPTY: Prefix = { base: 0, messages: [], bytes: 0 };

/** Makes a reader with its own cache, one for each worker process. It queries only what was not offered. */
export function createStateReader(
  query: QueryModelRequest,
  options: Partial<StateReaderOptions> = {},
  offers = new OfferedRequests(),
): StateReader {
  const settings = { ...DEFAULT_STATE_READER, ...options };
  const cache = new RequestCache(settings.maxBytes);
  return async (call, signal) => {
    const offered = takeRequest(call, offers, cache);
    if (offered) return offered;
    const ask = (page: PageQuery) => askOf(() => query(call, page), settings, signal);
    const hint = cache.hint(call);
    return (await read(call, ask, cache, hint)) ?? (await read(call, ask, cache, null)) ?? missingHead(call);
  };
}

/** Returns the offered request with cached messages; null if it is incomplete. */
function takeRequest(
  call: CallReference,
  offers: OfferedRequests,
  cache: RequestCache,
): ModelRequestState | null {
  const page = offers.take(call);
  if (!page || page.next !== null) return null;
  const known = page.from === 0 ? EMPTY : cache.prefix(call, page);
  const head = page.head ?? cache.head(call, page.headKey);
  if (!head || !known || known.base + known.messages.length !== page.from) return null;
  const prefix = append(known, page.messages);
  cache.keep(call, page, head, prefix);
  return { head, messages: [...prefix.messages] };
}

/**
 * Reads the pages after the cached messages. Null if the call has another thread, epoch or head than the hint: ask
 * again without it.
 */
async function read(
  call: CallReference,
  ask: (page: PageQuery) => Promise<ModelRequestPage>,
  cache: RequestCache,
  hint: Hint | null,
): Promise<ModelRequestState | null> {
  const known = hint ? cache.prefix(call, hint) : null;
  const knownHead = hint ? cache.head(call, hint.headKey) : null;
  const from = known ? known.base + known.messages.length : 0;
  const first = await ask({ from, ...(hint && knownHead ? { headKey: hint.headKey } : {}) });
  const sameThread = known !== null && hint?.thread === first.thread && hint.epoch === first.epoch;
  if (known && (!sameThread || first.from > from)) return null;
  const head = first.head ?? (first.headKey === hint?.headKey ? knownHead : null);
  if (!head) return null;

  let prefix = append(known ?? { base: first.from, messages: [], bytes: 0 }, first.messages);
  for (let next = first.next; next !== null; ) {
    const page = await ask({ from: next, headKey: first.headKey });
    prefix = append(prefix, page.messages);
    next = page.next;
  }
  cache.keep(call, first, head, prefix);
  return { head, messages: [...prefix.messages] };
}

/** Notes of a thread are not sent, but indices count them: a page may begin with known messages. */
function append(prefix: Prefix, messages: readonly Message[]): Prefix {
  const known = new Set(prefix.messages.slice(-messages.length).map(message => message.id));
  const fresh = messages.filter(message => !known.has(message.id));
  const bytes = fresh.reduce((sum, message) => sum + weightOf(message), prefix.bytes);
  return { base: prefix.base, messages: [...prefix.messages, ...fresh], bytes };
}

/** Returns the approximate size of a value: memory bounds need no more, and its JSON would cost more than the call. */
function weightOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 8;
  let weight = 8;
  for (const member of Object.values(value)) weight += 8 + weightOf(member);
  return weight;
}

function missingHead(call: CallReference): never {
  throw unavailable(call, 'the answer has no head');
}

/** The place of a role's last call, so that the first query can leave out known parts. */
interface Hint {
  thread: string;
  epoch: number;
  headKey: string;
}

/** A run without calls for this long has ended, or waits: reading it again costs one query. */
const FORGET_AFTER_MS = 10 * 60_000;
/** Without the purge, expired entries would stay until their next use. */
const FORGETS = {
  ttl: FORGET_AFTER_MS,
  ttlAutopurge: true,
  updateAgeOnGet: true,
  perf: { now: () => performance.now() },
};

export class RequestCache {
  readonly #entries: LRUCache<string, Prefix | { head: ModelRequestHead; bytes: number }>;
  readonly #hints = new LRUCache<string, Hint>({ max: 10_000, ...FORGETS });

  constructor(maxBytes: number) {
    this.#entries = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: entry => entry.bytes + 1,
      ...FORGETS,
    });
  }

  /** Approximate bytes of the cache. */
  get bytes(): number {
    return this.#entries.calculatedSize;
  }

  hint(call: CallReference): Hint | null {
    return this.#hints.get(key(call, 'role', call.role)) ?? null;
  }

  prefix(call: CallReference, hint: Hint): Prefix | null {
    const entry = this.#entries.get(key(call, 'thread', `${hint.epoch}:${hint.thread}`));
    return entry && 'messages' in entry ? entry : null;
  }

  head(call: CallReference, headKey: string): ModelRequestHead | null {
    const entry = this.#entries.get(key(call, 'head', headKey));
    return entry && 'head' in entry ? entry.head : null;
  }

  keep(call: CallReference, page: ModelRequestPage, head: ModelRequestHead, prefix: Prefix): void {
    const { thread, epoch, headKey } = page;
    this.#hints.set(key(call, 'role', call.role), { thread, epoch, headKey });
    this.#entries.set(key(call, 'thread', `${epoch}:${thread}`), prefix);
    if (!this.head(call, headKey))
      this.#entries.set(key(call, 'head', headKey), { head, bytes: weightOf(head) });
  }
}

function key(call: CallReference, kind: string, name: string): string {
  return JSON.stringify([call.workflowId, call.runId, kind, name]);
}

/** The activity's run exists, so a server's "not found" is temporary too. */
async function askOf(
  ask: () => Promise<ModelRequestPage>,
  options: StateReaderOptions,
  signal: AbortSignal,
): Promise<ModelRequestPage> {
  try {
    return await askPatiently(ask, { ...options, bearing: ['passing', 'gone'], signal });
  } catch (error) {
    signal.throwIfAborted();
    throw unavailable(null, errorTextWithCause(error));
  }
}

function unavailable(call: CallReference | null, reason: string): ApplicationFailure {
  const what = call ? `The request of call ${call.callId}` : 'The request of this call';
  return ApplicationFailure.create({
    type: FAILURE.stateUnavailable,
    message: `${what} could not be read from its workflow: ${reason}`,
    nonRetryable: false,
  });
}
