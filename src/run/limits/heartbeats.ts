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

/** `3 of 10 · message`, or what there is of it. */
export function progressWords({ progress, total, message = '' }: ToolProgress): string {
  if (progress === undefined) return message;
  const figures = total === undefined ? String(progress) : `${progress} of ${total}`;
  return message ? `${figures} · ${message}` : figures;
}
