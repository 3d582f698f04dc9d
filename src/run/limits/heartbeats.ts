/** What a call tells of itself while it runs. */

import type { Usage } from '../messages/message.js';

export interface ToolProgress {
  callId: string;
  tool: string;
  progress?: number;
  total?: number;
  message?: string;
}

/** Heartbeat details of a model call: the live text. */
export interface LiveText {
  callId: string;
  attempt: number;
  /** How often the endpoint began the reply anew within the attempt: earlier text does not count. Default 0. */
  restarts?: number;
  channel: 'text' | 'reasoning' | 'tool_input';
  /** Characters of this channel before `tail`. */
  offset: number;
  /** The last 2,000 characters at most. */
  tail: string;
  /** Tokens of the call so far, estimated, its failed attempts included: the next attempt goes on from it. */
  spent?: Usage;
}

/** What was heard of one channel of a reply: nothing is missing in `text`, which begins at the character `from`. */
export interface Heard {
  readonly from: number;
  readonly text: string;
}

/** What a watcher has heard of one attempt at a reply. */
export type HeardReply = { readonly attempt: number } & Readonly<Record<LiveText['channel'], Heard>>;

const NOTHING: Heard = { from: 0, text: '' };

export function beginHearing(attempt = 1): HeardReply {
  return { attempt, text: NOTHING, reasoning: NOTHING, tool_input: NOTHING };
}

/** With more of a channel. Characters that were heard before add nothing, and what stood before a hole is let go. */
export function heardMore(heard: Heard, { offset, text }: { offset: number; text: string }): Heard {
  const end = endOf(heard);
  return offset > end
    ? { from: offset, text }
    : { from: heard.from, text: heard.text + text.slice(end - offset) };
}

/** Characters of a channel up to the last that was heard. */
export function endOf({ from, text }: Heard): number {
  return from + text.length;
}

/** With a piece of live text: one of an older attempt adds nothing, one of a newer attempt begins anew. */
export function hear(
  reply: HeardReply,
  piece: Pick<LiveText, 'attempt' | 'channel' | 'offset'> & { text: string },
): HeardReply {
  if (piece.attempt < reply.attempt) return reply;
  const known = piece.attempt > reply.attempt ? beginHearing(piece.attempt) : reply;
  return { ...known, [piece.channel]: heardMore(known[piece.channel], piece) };
}

/** `3 of 10 · message`, or what there is of it. */
export function progressWords({ progress, total, message = '' }: ToolProgress): string {
  if (progress === undefined) return message;
  const figures = total === undefined ? String(progress) : `${progress} of ${total}`;
  return message ? `${figures} · ${message}` : figures;
}
