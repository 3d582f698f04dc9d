/** The number of attempts for a call that did not run, and the pauses between them. */

/** Attempts to reach a server before the call is `unavailable`: nothing was sent yet, so repeating is safe. */
const CONNECT_TRIES = 3;
/** Attempts for a server that was reachable a moment ago, with pauses that fill the budget: a restart takes time. */
const RESTART_TRIES = 7;
const CONNECT_PAUSE_MS = 250;
/** The time of all attempts, without pauses that a server asked for: the activity has 30 s more than the tool's own limit. */
const CONNECT_BUDGET_MS = 20_000;
/** The pause after a server's first "busy" without a duration; it doubles. */
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

  /** `limitMs`: time limit of the tool. `startMs`: the time that its server may take to start, if that is waited for. */
  constructor(limitMs: number, startMs = 0) {
    this.#limitMs = limitMs;
    this.#connectMs = Math.max(CONNECT_BUDGET_MS, startMs);
  }

  /** Milliseconds for reaching the server, in all attempts. */
  get budgetMs(): number {
    return this.#connectMs;
  }

  get pauseMs(): number {
    return this.#pauseMs;
  }

  /** The milliseconds left for reaching the server; 0 after the last attempt. */
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

  /** The server is unreachable after it was reached: after three attempts it is waited for while the tool has time. */
  lost(): void {
    if (this.#mostTries === RESTART_TRIES) return;
    this.#mostTries = RESTART_TRIES;
    this.#patienceMs = this.#limitMs;
  }

  /** The server is busy, for `askedMs` if it says so. False if that exceeds the tool's time. */
  busy(askedMs: number | null): boolean {
    this.#pauseMs = askedMs ?? BUSY_PAUSE_MS * 2 ** this.#busy;
    this.#busy += 1;
    this.#waitedMs += this.#pauseMs;
    return this.#waitedMs < this.#limitMs;
  }
}
