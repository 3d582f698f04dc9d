/** Frames of one run, in order, for who takes them one by one. */
import type { Frame } from '../api.js';
import type { Hub } from '../hub.js';

export class Listening {
  readonly #waiting: Frame[] = [];
  readonly #leave: Promise<() => void>;
  #wake = () => {};
  #isClosed = false;

  constructor({ hub, signal }: { hub: Hub; signal: AbortSignal }, run: string) {
    signal.addEventListener('abort', () => this.close(), { once: true });
    this.#isClosed = signal.aborted;
    this.#leave = hub.listen({ runs: { [run]: { since: 0 } } }, frame => {
      if (frame.type === 'waiting' || frame.type === 'ping') return;
      this.#waiting.push(frame);
      this.#wake();
    });
  }

  async *frames(): AsyncGenerator<Frame> {
    while (!this.#isClosed) {
      const frame = this.#waiting.shift();
      if (frame) yield frame;
      else
        await new Promise<void>(resolve => {
          this.#wake = resolve;
        });
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#wake();
    this.#leave.then(leave => leave()).catch(() => undefined);
  }
}
