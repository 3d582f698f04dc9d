/** A request on its way to a tool server: why it was given up, and what came in place of its answer. */
import { AsyncLocalStorage } from 'node:async_hooks';

/** `no_answer`: what was to carry the answer has ended without it. */
export type GivenUp = 'timed_out' | 'aborted' | 'no_answer';

export class AnswerWatch {
  readonly #stop = new AbortController();
  #givenUp: GivenUp | null = null;
  #canResume = false;
  #strays = 0;
  #said = '';

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  get givenUp(): GivenUp | null {
    return this.#givenUp;
  }

  give(reason: GivenUp): void {
    this.#givenUp ??= reason;
    this.#stop.abort(new Error(reason));
  }

  /** The server numbers its events: a stream that ends is taken up again. */
  resumable(): void {
    this.#canResume = true;
  }

  /** What carried the answer has ended: what is not there by now would be waited for until the time limit. */
  streamEnded(): void {
    if (!this.#canResume) this.give('no_answer');
  }

  /** The stream can't be taken up again. */
  lost(): void {
    this.give('no_answer');
  }

  /** A fault that the client noticed in what came for this request. */
  failed(error: Error): void {
    if (error.message.startsWith(FOREIGN_ANSWER)) {
      // One request has one stream: an answer there that is not ours takes the place of ours.
      this.#said = `it answered another request than the one that was sent: ${error.message.slice(FOREIGN_ANSWER.length)}`;
      this.give('no_answer');
    } else if (error.message.startsWith(NO_MORE_TRIES)) this.give('no_answer');
    // It may be a sign of life, with the answer still to come.
    else if (error instanceof SyntaxError || error.name === 'ZodError' || '_zod' in error) this.#strays += 1;
  }

  /** What came that is no answer; empty when nothing did. */
  get words(): string {
    if (this.#said !== '' || this.#strays === 0) return this.#said;
    return `it sent ${this.#strays} ${this.#strays === 1 ? 'event' : 'events'} that are no JSON-RPC messages`;
  }
}

/** Beginnings of the SDK's own messages, which have no codes. */
const FOREIGN_ANSWER = 'Received a response for an unknown message ID: ';
const NO_MORE_TRIES = 'Maximum reconnection attempts';

/** The watch of the request that the code at hand works for; null where it answers what the server asks meanwhile. */
export const answerWatch = new AsyncLocalStorage<AnswerWatch | null>();

/** Longest timer Node takes. */
const LONGEST_MS = 2_147_483_647;

/** The limit of a call, which stands still while a person is asked. */
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
