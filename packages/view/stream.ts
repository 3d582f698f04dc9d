/** The console's stream of frames. It reconnects by itself, and reports when the console is away. */
import { bearer } from './ask.js';
import type { Frame, StreamAsk } from './frames.js';

/** A stream without data for this long is dead: a laptop was asleep, or a proxy hangs. */
const SILENCE_MS = 25_000;
/** Number of last events of an opened run; earlier ones are read on demand. */
const FIRST_EVENTS = 1_000;
const AGAIN_MS = [250, 500, 1_000, 2_000];

/** `live`: frames arrive. `away`: the console does not answer. `refused`: the token is unknown or expired. */
export type StreamState = 'connecting' | 'live' | 'away' | 'refused';

export interface StreamEnds {
  /** Receives frames that arrived together. */
  frames(frames: Frame[]): void;
  state(state: StreamState): void;
  /** Checks the server before it gets the token. `refused`: it knows no such token. Default: no check. */
  prove?(signal: AbortSignal): Promise<boolean | 'refused'>;
}

export class Stream {
  readonly #ends: StreamEnds;
  readonly #token: string;
  readonly #url: string;
  #runs: StreamAsk['runs'] = {};
  #connection: AbortController | null = null;
  /** Wall-clock time, which continues while a laptop sleeps. */
  #heardAt = 0;
  #failures = 0;
  #closed = false;
  readonly #watching = setInterval(() => this.#watch(), 1_000);

  /** `url`: the console's address without a slash at its end. Default: the page's own origin. */
  constructor(token: string, ends: StreamEnds, url = '') {
    this.#token = token;
    this.#ends = ends;
    this.#url = url;
    void this.#stay();
  }

  /** Reconnects at once, because other runs or other event numbers are wanted. */
  want(runs: StreamAsk['runs']): void {
    this.#runs = runs;
    this.#failures = 0;
    this.#connection?.abort();
  }

  close(): void {
    this.#closed = true;
    clearInterval(this.#watching);
    this.#connection?.abort();
  }

  #watch(): void {
    if (!this.#connection || this.#connection.signal.aborted) return;
    if (Math.abs(Date.now() - this.#heardAt) <= SILENCE_MS) return;
    // The connection has ended without an error.
    this.#failures += 1;
    this.#connection.abort();
  }

  async #stay(): Promise<void> {
    while (!this.#closed) {
      const state = await this.#once();
      if (state !== 'live') this.#ends.state(state);
      if (state === 'refused') return this.close();
      if (this.#failures > 0)
        await new Promise(resolve =>
          setTimeout(resolve, AGAIN_MS[Math.min(this.#failures, AGAIN_MS.length) - 1]),
        );
    }
  }

  /** Opens a connection and reads it to its end. Returns `live` if it ended because other runs are wanted. */
  async #once(): Promise<StreamState> {
    const connection = new AbortController();
    this.#connection = connection;
    this.#heardAt = Date.now();
    try {
      const proved = (await this.#ends.prove?.(connection.signal)) ?? true;
      if (proved === 'refused') return 'refused';
      const known = bearer(this.#token);
      if (known === null) return 'refused';
      if (!proved) throw new Error('Another server has the address of the console.');
      const response = await fetch(`${this.#url}/api/stream`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...known },
        body: JSON.stringify({ runs: this.#runs, most: FIRST_EVENTS } satisfies StreamAsk),
        signal: connection.signal,
      });
      if (response.status === 401) return 'refused';
      if (!response.ok || response.body === null) throw new Error(String(response.status));
      await this.#read(response.body);
    } catch {
      // The returned state reports the failure.
    }
    if (connection.signal.aborted) return this.#failures === 0 ? 'live' : 'away';
    this.#failures += 1;
    return 'away';
  }

  /** Remembers the last event number, so that the next connection continues from it. */
  #note(frame: Frame): void {
    const known = frame.type === 'event' ? this.#runs[frame.run] : undefined;
    if (known && frame.type === 'event' && 'seq' in frame.event && frame.event.path === undefined)
      known.since = Math.max(known.since, frame.event.seq);
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    const reader = body.getReader();
    const decoder = new TextDecoder();
    for (let rest = ''; ; ) {
      const { done, value } = await reader.read();
      if (done) return;
      this.#heardAt = Date.now();
      const lines = (rest + decoder.decode(value, { stream: true })).split('\n\n');
      rest = lines.pop() ?? '';
      // Data that is not a frame, such as a login page, throws here.
      const frames = lines.map(line => JSON.parse(line.slice('data: '.length)) as Frame);
      if (frames.length === 0) continue;
      this.#ends.state('live');
      for (const frame of frames) this.#note(frame);
      this.#ends.frames(frames);
      this.#failures = 0;
    }
  }
}
