import type { ModelDelta } from '../provider/provider.js';

/**
 * How much of one reply is taken in, whatever an endpoint sends. The bounds are far above what models write
 * and below what a worker, a payload of Temporal (2 MB) or a call stack can not bear.
 */
export const REPLY_BOUNDS = {
  /** Bytes of a response on the wire: a token costs about 300 there. */
  responseBytes: 64 * 1024 * 1024,
  eventBytes: 4 * 1024 * 1024,
  /** Bytes of an error's body, of which a message quotes a few hundred characters. */
  errorBytes: 64 * 1024,
  listBytes: 8 * 1024 * 1024,
  /** Characters of a reply's text, and of its reasoning. */
  textChars: 1_000_000,
  /** Characters of the arguments of all tool calls of a reply. */
  argumentChars: 400_000,
  toolCalls: 128,
} as const;

/** As JSON with nothing believed of it. */
export type Wire = Record<string, unknown>;
export type Channel = 'text' | 'reasoning';

/** What the readers of all protocols say of one reply while it comes, counted against its bounds. */
export class ReplyParts {
  readonly chars = { text: 0, reasoning: 0, arguments: 0 };
  /** Calls of tools that were begun. */
  calls = 0;

  /** The reply ends here, as one that was cut at its output limit. */
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

  /** The call of the index `calls`, until the next one begins. */
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

/** A count as an endpoint reports it: what is no number becomes NaN, for `believedUsage` to turn down. */
export function tokens(value: unknown): number {
  if (value === undefined || value === null) return 0;
  return typeof value === 'number' ? value : Number.NaN;
}
