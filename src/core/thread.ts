/** The conversations of a run: one that roles share, and one of each role that has its own. */
import type { Message } from './message.js';

export interface Thread {
  id: string;
  /** Messages are append-only within an epoch. */
  epoch: number;
  messages: Message[];
  /** Estimated tokens of all messages. */
  tokens: number;
  /** Messages trimmed away so far. */
  dropped: number;
}

export const MAIN_THREAD = 'main';

export function newThread(id: string): Thread {
  return { id, epoch: 0, messages: [], tokens: 0, dropped: 0 };
}
