/** Frames of one run as an async generator, in order. */

import type { Frame } from '@steersman/view';
import { SteersmanError } from 'steersman/client';
import type { Hub } from '../hub.js';

/** A client that reads nothing while this much arrives is disconnected, and must ask again. */
const MOST_WAITING_CHARS = 32_000_000;

export class Listening {
  #waiting: { frame: Frame; chars: number }[] = [];
  #waitingChars = 0;
  #isTooSlow = false;
  readonly #leave: Promise<() => void>;
  #wake = () => {};
  #isClosed = false;

  constructor({ hub, signal }: { hub: Hub; signal: AbortSignal }, run: string) {
    signal.addEventListener('abort', () => this.close(), { once: true });
    this.#isClosed = signal.aborted;
    this.#leave = hub.listen({ runs: { [run]: { since: 0 } } }, frame => {
      if (frame.type === 'waiting' || frame.type === 'ping') return;
      this.#take(frame);
      this.#wake();
    });
  }

  #take(frame: Frame): void {
    // Only the newest snapshot is needed.
    if (frame.type === 'snapshot')
      this.#waiting = this.#waiting.filter(each => each.frame.type !== 'snapshot');
    const chars = frame.type === 'event' ? JSON.stringify(frame).length : 0;
    this.#waiting.push({ frame, chars });
    this.#waitingChars += chars;
    if (this.#waitingChars <= MOST_WAITING_CHARS) return;
    this.#waiting = [];
    this.#isTooSlow = true;
    this.close();
  }

  async *frames(): AsyncGenerator<Frame> {
    while (!this.#isClosed) {
      const next = this.#waiting.shift();
      this.#waitingChars -= next?.chars ?? 0;
      if (next) yield next.frame;
      else
        await new Promise<void>(resolve => {
          this.#wake = resolve;
        });
    }
    if (this.#isTooSlow)
      throw new SteersmanError(
        'The client reads more slowly than the run writes.',
        'Send the request again: the run goes on.',
        'unreachable',
      );
  }

  close(): void {
    this.#isClosed = true;
    this.#wake();
    this.#leave.then(leave => leave()).catch(() => undefined);
  }
}
