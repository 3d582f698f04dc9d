/** Reads one streamed reply until it ends, is interrupted or fails, within the limits of a call. */

import { secondsOf } from '../../base/text/error-text.js';
import { FAILURE } from '../../run/limits/failure.js';
import { onAbort } from '../../shared/waits.js';
import { ModelCallError } from '../provider/model-call-error.js';
import type { ModelDelta, ModelProvider, ModelRequest } from '../provider/provider.js';
import type { ChannelText, ReplyDraft } from '../reply/reply-draft.js';
import { endedAt } from '../reply/stop-texts.js';

export interface StreamLimits {
  /** Longest silence within a reply, milliseconds; a ping ends it. Default 60,000. */
  stallMs: number;
  /** Longest wait for the first part of a reply, milliseconds; reasoning models and long prompts take time. Default 180,000. */
  firstPartMs: number;
  /** Longest duration of a call, milliseconds. Default 600,000. */
  timeoutMs: number;
  /** How long a complete reply waits for its usage, milliseconds. Default 5,000. */
  usageMs: number;
}

export const DEFAULT_STREAM_LIMITS: StreamLimits = {
  stallMs: 60_000,
  firstPartMs: 180_000,
  timeoutMs: 600_000,
  usageMs: 5_000,
};

export interface StreamRun {
  provider: ModelProvider;
  request: ModelRequest;
  draft: ReplyDraft;
  limits: StreamLimits;
  signal: AbortSignal;
  onText(channel: ChannelText): void;
}

/**
 * Fills `draft`. Returns `complete`, or `aborted` if `signal` ended the call before the reply was complete. Once a
 * reply is complete, later events can't change that. Throws `ModelCallError`.
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

/** How long an aborted provider may take to end. */
const LET_GO_MS = 1_000;

/** Yields the deltas of `stream`. A program's own provider may ignore the signal; it is then abandoned after `LET_GO_MS`. */
async function* untilLetGo(
  stream: AsyncIterable<ModelDelta>,
  signal: AbortSignal,
): AsyncGenerator<ModelDelta, void> {
  const deltas = stream[Symbol.asyncIterator]();
  let release = () => {};
  let timer: NodeJS.Timeout | undefined;
  const letGo = new Promise<null>(resolve => {
    release = onAbort(signal, () => {
      timer = setTimeout(() => resolve(null), LET_GO_MS);
    });
  });
  try {
    for (;;) {
      const next = await Promise.race([deltas.next(), letGo]);
      if (next === null || next.done) return;
      yield next.value;
    }
  } finally {
    clearTimeout(timer);
    release();
    // `return` is not awaited, because it hangs too if the provider hangs.
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

/** Aborts the stream on the caller's signal, after too much silence and at the time limit, and remembers the cause. */
class Watch {
  failure: ModelCallError | null = null;
  readonly #run: StreamRun;
  readonly #abort = new AbortController();
  readonly #release: () => void;
  readonly #limit: NodeJS.Timeout;
  readonly #firstPartMs: number;
  #silence: NodeJS.Timeout;
  #isEnding = false;
  /** True if more parts followed an end: some endpoints send an end with every part, and only the last one counts. */
  wentOn = false;

  constructor(run: StreamRun) {
    this.#run = run;
    const { limits, signal } = run;
    this.#release = onAbort(signal, () => this.#abort.abort(signal.reason));
    this.#limit = setTimeout(() => this.#timedOut(), limits.timeoutMs);
    // A reply that is not streamed is silent until it is complete.
    this.#firstPartMs = run.request.streaming === false ? limits.timeoutMs : limits.firstPartMs;
    this.#silence = setTimeout(() => this.#stalled(this.#firstPartMs), this.#firstPartMs);
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  alive(): void {
    const isEnding = this.#run.draft.end !== null;
    this.wentOn ||= this.#isEnding && !isEnding;
    // Events after the end do not prolong the wait for usage.
    if (this.#isEnding && !this.wentOn) return;
    this.#isEnding = isEnding;
    clearTimeout(this.#silence);
    const { stallMs, usageMs } = this.#run.limits;
    // Pings may be the only events while the first part of a reply is awaited.
    const mostMs = this.#run.draft.writtenChars === 0 ? Math.max(stallMs, this.#firstPartMs) : stallMs;
    const waitMs = isEnding && !this.wentOn ? Math.min(stallMs, usageMs) : mostMs;
    this.#silence = setTimeout(() => this.#stalled(waitMs), waitMs);
  }

  stop(): void {
    clearTimeout(this.#silence);
    clearTimeout(this.#limit);
    this.#release();
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
