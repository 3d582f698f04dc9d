/** How often, and after which pauses, a call that was not run is sent again. */

/** Tries to reach a server before the call is `unavailable`: nothing was sent yet, so all may be repeated. */
const CONNECT_TRIES = 3;
/** Of a server that was there a moment ago, in pauses that fill the budget: one that is started anew takes its time. */
const RESTART_TRIES = 7;
const CONNECT_PAUSE_MS = 250;
/** All tries together, without pauses that a server asked for: the activity has 30 s more than the tool's own limit. */
const CONNECT_BUDGET_MS = 20_000;
/** After the first answer that the server is busy and does not say for how long; doubles. */
const BUSY_PAUSE_MS = 1_000;

export class CallPace {
  readonly #limitMs: number;
  readonly #connectMs: number;
  readonly #startedAt = performance.now();
  #tries = 0;
  #busy = 0;
  #waitedMs = 0;
  #pauseMs = 0;
  #mostTries = CONNECT_TRIES;
  #patienceMs = Number.POSITIVE_INFINITY;

  /** `limitMs`: time limit of the tool. `startMs`: what its server may take to start, where that is waited for. */
  constructor(limitMs: number, startMs = 0) {
    this.#limitMs = limitMs;
    this.#connectMs = Math.max(CONNECT_BUDGET_MS, startMs);
  }

  /** For reaching the server, in all tries. */
  get budgetMs(): number {
    return this.#connectMs;
  }

  get pauseMs(): number {
    return this.#pauseMs;
  }

  /** What is left for reaching the server; nothing after the last try. */
  get connectMs(): number {
    const tookMs = performance.now() - this.#startedAt - this.#waitedMs;
    if (this.#tries >= this.#mostTries) return 0;
    if (this.#tries >= CONNECT_TRIES && tookMs >= this.#patienceMs) return 0;
    return this.#connectMs - tookMs;
  }

  /** The limit of the next request: waiting for a busy server is part of the tool's time. */
  get requestMs(): number {
    return this.#limitMs - this.#waitedMs;
  }

  unreached(): void {
    this.#pauseMs = CONNECT_PAUSE_MS * 2 ** this.#tries;
    this.#tries += 1;
  }

  get tries(): number {
    return this.#tries;
  }

  /** The server was there, and can not be reached now: after three tries it is waited for while the tool has time. */
  lost(): void {
    if (this.#mostTries === RESTART_TRIES) return;
    this.#mostTries = RESTART_TRIES;
    this.#patienceMs = this.#limitMs;
  }

  /** The server takes no requests, for `askedMs` where it says so. False: that is longer than the tool has time. */
  busy(askedMs: number | null): boolean {
    this.#pauseMs = askedMs ?? BUSY_PAUSE_MS * 2 ** this.#busy;
    this.#busy += 1;
    this.#waitedMs += this.#pauseMs;
    return this.#waitedMs < this.#limitMs;
  }
}
