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
