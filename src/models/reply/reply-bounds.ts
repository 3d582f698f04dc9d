import type { ModelDelta } from '../provider/provider.js';

/**
 * Limits for one reply, independent of what an endpoint sends. They are far above what models write, and below what a
 * worker, a Temporal payload (2 MB) or a call stack can handle.
 */
export const REPLY_BOUNDS = {
  /** Bytes of a response on the wire, where a token takes about 300 bytes. */
  responseBytes: 64 * 1024 * 1024,
  eventBytes: 4 * 1024 * 1024,
  /** Bytes of an error's body; a message quotes a few hundred characters of it. */
  errorBytes: 64 * 1024,
  listBytes: 8 * 1024 * 1024,
  /** Characters of a reply's text, and separately of its reasoning. */
  textChars: 1_000_000,
  /** Characters of the arguments of all tool calls of a reply. */
  argumentChars: 400_000,
  toolCalls: 128,
} as const;

/** Unchecked JSON from an endpoint. */
export type Wire = Record<string, unknown>;
export type Channel = 'text' | 'reasoning';

/** The parts of one reply as the readers of all protocols emit them, counted against the bounds. */
export class ReplyParts {
  readonly chars = { text: 0, reasoning: 0, arguments: 0 };
  /** Tool calls that have begun. */
  calls = 0;

  /** True if a bound is exceeded; the reply then ends as if at its output limit. */
  get full(): boolean {
    return (
      Math.max(this.chars.text, this.chars.reasoning) > REPLY_BOUNDS.textChars ||
      this.chars.arguments > REPLY_BOUNDS.argumentChars ||
      this.calls > REPLY_BOUNDS.toolCalls
    );
  }

  *put(channel: Channel, text: string): Iterable<ModelDelta> {
    if (text === '') return;
    this.chars[channel] += text.length;
    yield { type: channel, text };
  }

  /** Starts the next call. Its index is the value of `calls` before this one. */
  *startCall(id: string, name: string): Iterable<ModelDelta> {
    this.calls += 1;
    yield { type: 'tool_start', index: this.calls - 1, id: id || null, name };
  }

  *input(index: number, text: string): Iterable<ModelDelta> {
    if (text === '') return;
    this.chars.arguments += text.length;
    yield { type: 'tool_input', index, text };
  }
}

/** Returns a count as an endpoint reports it. A value that is not a number becomes NaN, which `believedUsage` rejects. */
export function tokens(value: unknown): number {
  if (value === undefined || value === null) return 0;
  return typeof value === 'number' ? value : Number.NaN;
}
