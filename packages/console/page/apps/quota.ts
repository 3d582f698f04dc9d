/** How much an app may say, so that none holds up the page: what is more goes no further. Pure. */
const MOST_CHARS = 256_000;
const MOST_MESSAGES = 200;
const WINDOW_MS = 10_000;
const FAILED = -32_000;

/** `fault`: what the app is answered in place of the console. */
type Taken = { message: unknown } | { fault: Record<string, unknown> } | null;

/** At most so many in a window of time. */
export class Rate {
  readonly #most: number;
  readonly #windowMs: number;
  #begin = Number.NEGATIVE_INFINITY;
  #count = 0;

  constructor(most: number, windowMs: number) {
    this.#most = most;
    this.#windowMs = windowMs;
  }

  takes(now: number): boolean {
    if (now - this.#begin >= this.#windowMs) {
      this.#begin = now;
      this.#count = 0;
    }
    this.#count += 1;
    return this.#count <= this.#most;
  }
}

export class Quota {
  readonly #rate = new Rate(MOST_MESSAGES, WINDOW_MS);

  /** Null: no JSON-RPC, or one message too many, which is not even unpacked. */
  take(event: { readonly data: unknown }, now: number): Taken {
    if (!this.#rate.takes(now)) return null;
    const { data } = event;
    if (!isMessage(data)) return null;
    const text = textOf(data);
    // What was counted is passed on, and nothing that JSON does not see.
    if (text !== null && text.length <= MOST_CHARS) return { message: JSON.parse(text) };
    const { id } = data;
    if (typeof id !== 'string' && typeof id !== 'number') return null;
    const message = `A message is JSON of at most ${MOST_CHARS} characters.`;
    return { fault: { jsonrpc: '2.0', id, error: { code: FAILED, message } } };
  }
}

function isMessage(data: unknown): data is { jsonrpc: '2.0'; id?: unknown } {
  return typeof data === 'object' && data !== null && 'jsonrpc' in data && data.jsonrpc === '2.0';
}

function textOf(data: object): string | null {
  try {
    return JSON.stringify(data);
  } catch {
    return null;
  }
}
