/** Reads one streamed reply to its end, its interruption or its failure, with the limits of a call. */

import { secondsOf } from '../../base/text/error-text.js';
import { FAILURE } from '../../run/limits/failure.js';
import { ModelCallError } from '../provider/model-call-error.js';
import type { ModelDelta, ModelProvider, ModelRequest } from '../provider/provider.js';
import type { ChannelText, ReplyDraft } from '../reply/reply-draft.js';
import { endedAt } from '../reply/stop-texts.js';

export interface StreamLimits {
  /** Longest silence within a reply, milliseconds; a ping breaks it. Default 60,000. */
  stallMs: number;
  /** Longest wait for the first part of a reply: reasoning models and long prompts take their time. Default 180,000. */
  firstPartMs: number;
  /** Longest call. Default 600,000. */
  timeoutMs: number;
}

export const DEFAULT_STREAM_LIMITS: StreamLimits = {
  stallMs: 60_000,
  firstPartMs: 180_000,
  timeoutMs: 600_000,
};

/** A complete reply whose usage does not come: how long to wait for it. */
const USAGE_WAIT_MS = 5_000;

export interface StreamRun {
  provider: ModelProvider;
  request: ModelRequest;
  draft: ReplyDraft;
  limits: StreamLimits;
  signal: AbortSignal;
  onText(channel: ChannelText): void;
}

/**
 * Fills `draft`. Returns `complete`, or `aborted` when `signal` ended the call before the reply was
 * complete; a reply that is complete wins over everything that happens after. Throws `ModelCallError`.
 */
export async function runStream(run: StreamRun): Promise<'complete' | 'aborted'> {
  const { draft, signal } = run;
  const watch = new Watch(run);
  try {
    const { provider, request } = run;
    const stream = provider.stream(request, watch.signal, () => watch.alive());
    for await (const delta of endedAt(untilLetGo(stream, watch.signal), request.stop)) {
      const grown = draft.add(delta);
      watch.alive();
      if (grown) run.onText(grown);
    }
  } catch (error) {
    if (draft.end && !watch.wentOn) return 'complete';
    if (signal.aborted) return 'aborted';
    throw watch.failure ?? error;
  } finally {
    watch.stop();
  }
  if (draft.end) return 'complete';
  if (signal.aborted) return 'aborted';
  throw watch.failure ?? cutOff(run);
}

/** Of a provider that is told to end. */
const LET_GO_MS = 1_000;

/** What `stream` gives. A provider of the program's own that does not hear the signal is not waited for. */
async function* untilLetGo(
  stream: AsyncIterable<ModelDelta>,
  signal: AbortSignal,
): AsyncGenerator<ModelDelta, void> {
  const deltas = stream[Symbol.asyncIterator]();
  let onAbort = () => {};
  let timer: NodeJS.Timeout | undefined;
  const letGo = new Promise<null>(resolve => {
    onAbort = () => {
      timer = setTimeout(() => resolve(null), LET_GO_MS);
    };
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    for (;;) {
      const next = await Promise.race([deltas.next(), letGo]);
      if (next === null || next.done) return;
      yield next.value;
    }
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    // Not waited for: one that hangs does not return either.
    void deltas.return?.().catch(() => undefined);
  }
}

function cutOff(run: StreamRun): ModelCallError {
  const message = `The reply of ${nameOf(run)} ended before it was complete: the connection was closed without a finish reason.`;
  return new ModelCallError(FAILURE.model.connection, message);
}

function nameOf({ provider, request }: StreamRun): string {
  return `${provider.name}/${request.model} at ${provider.endpoint}`;
}

/** Aborts the stream on the caller's signal, on silence and on the time limit, and remembers which it was. */
class Watch {
  failure: ModelCallError | null = null;
  readonly #run: StreamRun;
  readonly #abort = new AbortController();
  readonly #onAbort = () => this.#abort.abort(this.#run.signal.reason);
  readonly #limit: NodeJS.Timeout;
  readonly #firstPartMs: number;
  #silence: NodeJS.Timeout;
  #isEnding = false;
  /** More was said after an end: its endpoint says one with every part, and only its last is one. */
  wentOn = false;

  constructor(run: StreamRun) {
    this.#run = run;
    const { limits, signal } = run;
    if (signal.aborted) this.#onAbort();
    else signal.addEventListener('abort', this.#onAbort, { once: true });
    this.#limit = setTimeout(() => this.#timedOut(), limits.timeoutMs);
    // One that comes whole is silent until it is written.
    this.#firstPartMs = run.request.streaming === false ? limits.timeoutMs : limits.firstPartMs;
    this.#silence = setTimeout(() => this.#stalled(this.#firstPartMs), this.#firstPartMs);
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  alive(): void {
    const isEnding = this.#run.draft.end !== null;
    this.wentOn ||= this.#isEnding && !isEnding;
    // What comes after the end keeps no complete reply waiting.
    if (this.#isEnding && !this.wentOn) return;
    this.#isEnding = isEnding;
    clearTimeout(this.#silence);
    const { stallMs } = this.#run.limits;
    // Of a reply whose first part is still awaited there may be pings alone.
    const mostMs = this.#run.draft.writtenChars === 0 ? Math.max(stallMs, this.#firstPartMs) : stallMs;
    const waitMs = isEnding && !this.wentOn ? Math.min(stallMs, USAGE_WAIT_MS) : mostMs;
    this.#silence = setTimeout(() => this.#stalled(waitMs), waitMs);
  }

  stop(): void {
    clearTimeout(this.#silence);
    clearTimeout(this.#limit);
    this.#run.signal.removeEventListener('abort', this.#onAbort);
  }

  #stalled(ms: number): void {
    this.#fail(FAILURE.model.stalled, `${nameOf(this.#run)} sent nothing for ${secondsOf(ms)} s.`);
  }

  #timedOut(): void {
    const { timeoutMs } = this.#run.limits;
    this.#fail(FAILURE.model.timeout, `${nameOf(this.#run)} was not done after ${secondsOf(timeoutMs)} s.`);
  }

  #fail(type: ModelCallError['type'], message: string): void {
    this.failure ??= new ModelCallError(type, message);
    this.#abort.abort(this.failure);
  }
}
