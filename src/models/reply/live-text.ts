/** Sends live text (docs/architecture.md, "A model call") in heartbeats, which also keep a silent call alive. */
import type { LiveText } from '../../run/limits/heartbeats.js';
import type { ChannelText } from './reply-draft.js';

export interface LiveTextOptions {
  /** Shortest time between two heartbeats with new text. Default 250 ms, for the local stack. */
  throttleMs: number;
  /** Time between heartbeats if there is no new text. Default 1,000 ms. */
  idleMs: number;
  /** Length of the transmitted tail, characters. Default 2,000. */
  tailChars: number;
}

const DEFAULT_LIVE_TEXT: LiveTextOptions = { throttleMs: 250, idleMs: 1_000, tailChars: 2_000 };

/** A reply that ends this soon after its first text needs no heartbeat, because it is returned whole. */
const MOMENT_MS = 50;

/**
 * Sends heartbeats after `start`: every `idleMs`, and for new text after a short delay, at least `throttleMs` apart.
 * The delay saves a write on the server if the reply ends before it.
 */
export class LiveTextBeat {
  readonly #beat: (details: LiveText) => void;
  readonly #options: LiveTextOptions;
  readonly #call: { callId: string; attempt: number };
  #shown: ChannelText = { channel: 'text', text: '', restarts: 0 };
  #fresh = false;
  #lastBeatMs = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(
    call: { callId: string; attempt: number },
    beat: (details: LiveText) => void,
    options: Partial<LiveTextOptions> = {},
  ) {
    this.#call = call;
    this.#beat = beat;
    this.#options = { ...DEFAULT_LIVE_TEXT, ...options };
  }

  start(): void {
    this.#lastBeatMs = performance.now();
    this.#beatIn(this.#options.idleMs);
  }

  stop(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
  }

  /** Stops with a last heartbeat, because the usage of an attempt is only known at its end. */
  stopTelling(): void {
    this.stop();
    this.#tell();
  }

  show(channel: ChannelText): void {
    this.#shown = channel;
    if (this.#fresh || this.#timer === null) return;
    this.#fresh = true;
    const { throttleMs, idleMs } = this.#options;
    const sinceBeat = performance.now() - this.#lastBeatMs;
    const dueMs = Math.max(throttleMs - sinceBeat, Math.min(MOMENT_MS, throttleMs));
    this.#beatIn(Math.min(dueMs, Math.max(0, idleMs - sinceBeat)));
  }

  #beatIn(ms: number): void {
    this.stop();
    this.#timer = setTimeout(() => {
      this.#tell();
      this.#beatIn(this.#options.idleMs);
    }, ms);
  }

  #tell(): void {
    this.#lastBeatMs = performance.now();
    this.#fresh = false;
    const { channel, text, restarts } = this.#shown;
    const again = restarts === 0 ? {} : { restarts };
    this.#beat({ ...this.#call, ...again, channel, ...tailOf(text, this.#options.tailChars) });
  }
}

/** Returns the last `chars` characters. A surrogate pair is never split, because half of one would not survive encoding. */
export function tailOf(text: string, chars: number): { offset: number; tail: string } {
  let offset = Math.max(0, text.length - chars);
  if (offset > 0 && /^[\udc00-\udfff]/.test(text.slice(offset, offset + 1))) offset += 1;
  return { offset, tail: text.slice(offset).replace(/[\ud800-\udbff]$/, '') };
}
