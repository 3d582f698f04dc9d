/** The stream of frames: one for a browser, whatever it has open. It comes back by itself, and says when it is away. */
import type { Frame, StreamAsk } from '../api.js';

/** A stream that said nothing for so long is dead, whatever the network says: a laptop was asleep, a proxy hangs. */
const SILENCE_MS = 25_000;
/** Of a run that is opened; earlier ones are read on demand. */
const FIRST_EVENTS = 1_000;
const AGAIN_MS = [250, 500, 1_000, 2_000];

/** `live`: frames come. `away`: the console does not answer. `refused`: the token is not known (any more). */
export type StreamState = 'connecting' | 'live' | 'away' | 'refused';

export interface StreamEnds {
  /** Some that came together. */
  frames(frames: Frame[]): void;
  state(state: StreamState): void;
}

export class Stream {
  readonly #ends: StreamEnds;
  readonly #token: string;
  #runs: StreamAsk['runs'] = {};
  #connection: AbortController | null = null;
  /** By the clock of the wall, which goes on while a laptop sleeps. */
  #heardAt = 0;
  #failures = 0;
  #closed = false;
  readonly #watching = setInterval(() => this.#watch(), 1_000);

  constructor(token: string, ends: StreamEnds) {
    this.#token = token;
    this.#ends = ends;
    void this.#stay();
  }

  /** Other runs are wanted, or from elsewhere: asked anew at once. */
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
    // Nobody says that it ended.
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

  /** One connection, to its end; `live` where it ended because other runs are wanted. */
  async #once(): Promise<StreamState> {
    const connection = new AbortController();
    this.#connection = connection;
    this.#heardAt = Date.now();
    try {
      const response = await fetch('/api/stream', {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${this.#token}` },
        body: JSON.stringify({ runs: this.#runs, most: FIRST_EVENTS } satisfies StreamAsk),
        signal: connection.signal,
      });
      if (response.status === 401) return 'refused';
      if (!response.ok || response.body === null) throw new Error(String(response.status));
      await this.#read(response.body);
    } catch {
      // Told by the state.
    }
    if (connection.signal.aborted) return this.#failures === 0 ? 'live' : 'away';
    this.#failures += 1;
    return 'away';
  }

  /** Where a connection ends, the next one goes on. */
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
      this.#failures = 0;
      const lines = (rest + decoder.decode(value, { stream: true })).split('\n\n');
      rest = lines.pop() ?? '';
      this.#ends.state('live');
      const frames = lines.map(line => JSON.parse(line.slice('data: '.length)) as Frame);
      for (const frame of frames) this.#note(frame);
      if (frames.length > 0) this.#ends.frames(frames);
    }
  }
}
