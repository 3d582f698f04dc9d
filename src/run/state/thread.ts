/** The conversations of a run: one that roles share, and one for each role with its own. */

import type { AssistantMessage, Message } from '../messages/message.js';
import { textOf } from '../messages/message.js';
import { type EnvelopeMeta, extractJson, NO_ENVELOPE, readMeta } from '../outputs/envelope.js';
import { isEnvelope } from '../outputs/role-form.js';
import type { Batch } from '../position/position.js';

export interface Thread {
  id: string;
  /** Messages are append-only within an epoch. */
  epoch: number;
  messages: Message[];
  tokens: number;
  dropped: number;
  /** The program's transforms that have processed it: `done` of them, for this role, up to `upTo`. */
  seen?: { role: string; epoch: number; upTo: number; done: number };
  /** The original, if this is a copy for a parallel task. */
  branch?: BranchOf;
}

/** A copy of a thread that one task continues alone, until the copies are joined: see `branch-threads.ts`. */
export interface BranchOf {
  /** Id of the original thread. */
  of: string;
  taskId: string;
  /** The number of its first messages that it shares with others; later ones are its own. */
  shared: number;
  /** The number of messages left out when it is handed over, since they begin the original thread. */
  left?: number;
}

export type Threads = Record<string, Thread>;

export const MAIN_THREAD = 'main';

export function newThread(id: string): Thread {
  return { id, epoch: 0, messages: [], tokens: 0, dropped: 0 };
}

/** Returns the reply with these tool calls; null if it is gone. */
export function replyOf({ threads }: { threads: Threads }, batch: Batch): AssistantMessage | null {
  // Searches backwards: the reply is near the end of a thread that may be long.
  const reply = threads[batch.thread]?.messages.findLast(({ id }) => id === batch.messageId);
  return reply?.kind === 'assistant' ? reply : null;
}

export function holdsPrompt({ messages }: MessageList, name: string): boolean {
  return messages.some(message => isPromptOf(message, name));
}

export function isPromptOf(message: Message, name: string | null): boolean {
  return message.kind === 'user' && message.purpose === 'role' && message.role === name;
}

/** Returns the role that the run last addressed in a thread; null without one. */
export function roleAtHand({ messages }: MessageList): string | null {
  const last = messages.findLast(message => message.kind === 'user' && message.role !== undefined);
  return last?.kind === 'user' ? (last.role ?? null) : null;
}

type MessageList = Readonly<{ messages: readonly Message[] }>;

/** Returns a reply's envelope without its parameters; `NO_ENVELOPE` if it has none. */
export function envelopeOf(reply: AssistantMessage): EnvelopeMeta {
  const json = extractJson(textOf(reply));
  return json && isEnvelope(json) ? readMeta(json).meta : NO_ENVELOPE;
}
