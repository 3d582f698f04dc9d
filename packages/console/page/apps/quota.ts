/** Limits the messages of an app, so that they can't block the page: messages over the limit are dropped. Pure. */
const MOST_CHARS = 256_000;
const MOST_MESSAGES = 200;
const WINDOW_MS = 10_000;
const FAILED = -32_000;

/** `fault`: the error that the app receives instead. */
type Taken = { message: unknown } | { fault: Record<string, unknown> } | null;

/** Allows a number of events in a window of time. */
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

  /** Returns null for anything but JSON-RPC, and over the limit: such a message is not even deserialized. */
  take(event: { readonly data: unknown }, now: number): Taken {
    if (!this.#rate.takes(now)) return null;
    const { data } = event;
    if (!isMessage(data)) return null;
    const text = textOf(data);
    // Passes on the parsed text that was measured, without anything that JSON can't represent.
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
