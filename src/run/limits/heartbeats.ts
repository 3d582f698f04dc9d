/** A running call's progress report. */

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
  /** The number of times that the endpoint restarted the reply in this attempt: earlier text does not count. Default 0. */
  restarts?: number;
  channel: 'text' | 'reasoning' | 'tool_input';
  /** Characters of this channel before `tail`. */
  offset: number;
  /** At most the last 2,000 characters. */
  tail: string;
  /** Estimated tokens of the call so far, failed attempts included: the next attempt continues from it. */
  spent?: Usage;
}

/** The part of one channel that a watcher has received: `text` is gapless and begins at character `from`. */
export interface Received {
  readonly from: number;
  readonly text: string;
}

/** The parts of one attempt at a reply that a watcher has received. */
export type ReceivedReply = { readonly attempt: number } & Readonly<Record<LiveText['channel'], Received>>;

const NOTHING: Received = { from: 0, text: '' };

export function beginHearing(attempt = 1): ReceivedReply {
  return { attempt, text: NOTHING, reasoning: NOTHING, tool_input: NOTHING };
}

/** Adds a piece to a channel. Characters received before add nothing; after a gap, the earlier text is dropped. */
export function addPiece(heard: Received, { offset, text }: { offset: number; text: string }): Received {
  const end = endOf(heard);
  return offset > end
    ? { from: offset, text }
    : { from: heard.from, text: heard.text + text.slice(end - offset) };
}

/** Returns the number of characters of a channel up to the last one received. */
export function endOf({ from, text }: Received): number {
  return from + text.length;
}

/** Adds a piece of live text: a piece of an older attempt is ignored, one of a newer attempt starts over. */
export function hear(
  reply: ReceivedReply,
  piece: Pick<LiveText, 'attempt' | 'channel' | 'offset'> & { text: string },
): ReceivedReply {
  if (piece.attempt < reply.attempt) return reply;
  const known = piece.attempt > reply.attempt ? beginHearing(piece.attempt) : reply;
  return { ...known, [piece.channel]: addPiece(known[piece.channel], piece) };
}

/** Returns `3 of 10 · message`, or the parts that are known. */
export function progressWords({ progress, total, message = '' }: ToolProgress): string {
  if (progress === undefined) return message;
  const figures = total === undefined ? String(progress) : `${progress} of ${total}`;
  return message ? `${figures} · ${message}` : figures;
}
