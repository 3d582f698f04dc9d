/** Follows one request to a tool server: why it was given up, and what arrived instead of its answer. */
import { AsyncLocalStorage } from 'node:async_hooks';

/** `no_answer`: the stream that should carry the answer has ended without it. */
export type NoAnswer = 'timed_out' | 'aborted' | 'no_answer';

export class AnswerWatch {
  readonly #stop = new AbortController();
  #givenUp: NoAnswer | null = null;
  #canResume = false;
  #strays = 0;
  #fault = '';

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  get givenUp(): NoAnswer | null {
    return this.#givenUp;
  }

  give(reason: NoAnswer): void {
    this.#givenUp ??= reason;
    this.#stop.abort(new Error(reason));
  }

  /** Notes that the server numbers its events, so that a stream that ends can be resumed. */
  resumable(): void {
    this.#canResume = true;
  }

  /** The response that should carry the answer has ended. If it did not, waiting would last until the time limit. */
  streamEnded(): void {
    if (!this.#canResume) this.give('no_answer');
  }

  /** The stream can't be resumed. */
  lost(): void {
    this.give('no_answer');
  }

  /** Notes an error that the client met in the response to this request. */
  failed(error: Error): void {
    if (error.message.startsWith(FOREIGN_ANSWER)) {
      // Each request has its own stream, so a foreign answer there took the place of ours.
      this.#fault = `it answered another request than the one that was sent: ${error.message.slice(FOREIGN_ANSWER.length)}`;
      this.give('no_answer');
    } else if (error.message.startsWith(NO_MORE_TRIES)) this.give('no_answer');
    // An invalid message may be a sign of life, and the answer may follow.
    else if (error instanceof SyntaxError || error.name === 'ZodError' || '_zod' in error) this.#strays += 1;
  }

  /** Describes what arrived instead of an answer; empty if there is nothing to report. */
  get words(): string {
    if (this.#fault !== '' || this.#strays === 0) return this.#fault;
    return this.#strays === 1
      ? 'it sent 1 event that is no JSON-RPC message'
      : `it sent ${this.#strays} events that are no JSON-RPC messages`;
  }
}

/** Beginnings of the SDK's own error messages, which have no codes. */
const FOREIGN_ANSWER = 'Received a response for an unknown message ID: ';
const NO_MORE_TRIES = 'Maximum reconnection attempts';

/** The watch of the request that the current code works for; null while it answers a request of the server. */
export const answerWatch = new AsyncLocalStorage<AnswerWatch | null>();

/** The longest timer that Node supports. */
const LONGEST_MS = 2_147_483_647;

/** The time limit of a call. It is paused while a person is asked. */
export class CallTimer {
  readonly #onEnd: () => void;
  #leftMs: number;
  #since = performance.now();
  #timer: NodeJS.Timeout | null = null;
  #pauses = 0;
  #stopped = false;

  constructor(limitMs: number, onEnd: () => void) {
    this.#leftMs = Math.min(limitMs, LONGEST_MS);
    this.#onEnd = onEnd;
    this.#start();
  }

  pause(): void {
    this.#pauses += 1;
    if (this.#pauses > 1) return;
    this.#leftMs -= performance.now() - this.#since;
    this.#clear();
  }

  resume(): void {
    this.#pauses -= 1;
    if (this.#pauses === 0 && !this.#stopped) this.#start();
  }

  stop(): void {
    this.#stopped = true;
    this.#clear();
  }

  #clear(): void {
    if (this.#timer) clearTimeout(this.#timer);
  }

  #start(): void {
    this.#since = performance.now();
    this.#timer = setTimeout(this.#onEnd, Math.max(0, this.#leftMs));
  }
}
