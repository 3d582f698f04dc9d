/** The conversations of a run: one that roles share, and one of each role that has its own. */

import type { AssistantMessage, Message } from '../messages/message.js';
import { textOf } from '../messages/message.js';
import { type EnvelopeMeta, extractJson, isEnvelope, NO_ENVELOPE, readMeta } from '../outputs/envelope.js';
import type { Batch } from '../position/position.js';

export interface Thread {
  id: string;
  /** Messages are append-only within an epoch. */
  epoch: number;
  messages: Message[];
  tokens: number;
  dropped: number;
  /** Transforms of the program have seen it so: `done` of them, for this role, up to its end. */
  seen?: { role: string; epoch: number; upTo: number; done: number };
  /** Where tasks run side by side: what this is a copy of. */
  branch?: BranchOf;
}

/** A thread that one task goes on with by itself, until the copies are joined: see `branch-threads.ts`. */
export interface BranchOf {
  /** Id of the thread that it goes on with. */
  of: string;
  taskId: string;
  /** How many of its messages are the beginning that it shares with others; those after it are its own. */
  shared: number;
  /** As it is carried over: so many of its messages are left out, for they begin the thread that it is a copy of. */
  left?: number;
}

export type Threads = Record<string, Thread>;

export const MAIN_THREAD = 'main';

export function newThread(id: string): Thread {
  return { id, epoch: 0, messages: [], tokens: 0, dropped: 0 };
}

/** The reply whose tool calls these are; null where it is gone. */
export function replyOf({ threads }: { threads: Threads }, batch: Batch): AssistantMessage | null {
  // Near the end, of a thread that may be long.
  const reply = threads[batch.thread]?.messages.findLast(({ id }) => id === batch.messageId);
  return reply?.kind === 'assistant' ? reply : null;
}

export function holdsPrompt({ messages }: Said, name: string): boolean {
  return messages.some(message => isPromptOf(message, name));
}

export function isPromptOf(message: Message, name: string | null): boolean {
  return message.kind === 'user' && message.purpose === 'role' && message.role === name;
}

/** The role that the run has spoken to last in a thread, by name; null for none. */
export function roleAtHand({ messages }: Said): string | null {
  const last = messages.findLast(message => message.kind === 'user' && message.role !== undefined);
  return last?.kind === 'user' ? (last.role ?? null) : null;
}

type Said = Readonly<{ messages: readonly Message[] }>;

/** What the envelope in a reply says besides its parameters; `NO_ENVELOPE` where there is none. */
export function envelopeOf(reply: AssistantMessage): EnvelopeMeta {
  const json = extractJson(textOf(reply));
  return json && isEnvelope(json) ? readMeta(json).meta : NO_ENVELOPE;
}
