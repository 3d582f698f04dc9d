/** Copies of threads for parallel tasks. They begin with the same message objects, so that no message is stored twice. */

import { estimateMessageTokens } from '../run/limits/tokens.js';
import type { Message } from '../run/messages/message.js';
import type { Thread, Threads } from '../run/state/thread.js';

/** Begins a copy; `epoch` must exceed that of an earlier copy with the same id, which workers may still know. */
export function branchThread(thread: Thread, taskId: string, epoch: number): Thread {
  const messages = [...thread.messages];
  return {
    id: branchThreadId(thread.id, taskId),
    epoch,
    messages,
    tokens: thread.tokens,
    dropped: 0,
    branch: { of: thread.id, taskId, shared: messages.length },
  };
}

export function branchThreadId(thread: string, taskId: string): string {
  return `${thread}/${taskId}`;
}

/** Returns the thread's own messages: in a copy, those after the shared beginning. */
export function ownMessages({ messages, branch }: Thread): Message[] {
  return messages.slice(branch?.shared ?? 0);
}

/** Replaces a thread's messages, such as by shortened ones. Changes `thread`. */
export function replaceMessages(thread: Thread, messages: Message[]): void {
  if (thread.branch) {
    const own = new Set(ownMessages(thread).map(({ id }) => id));
    const first = messages.findIndex(({ id }) => own.has(id));
    thread.branch = { ...thread.branch, shared: first < 0 ? messages.length : first };
  }
  thread.messages = messages;
}

export function joinBranchThreads(threads: Threads, taskId: string): void {
  for (const copy of Object.values(threads).filter(thread => thread.branch?.taskId === taskId)) {
    const thread = threads[copy.branch?.of ?? ''];
    if (!thread) throw new Error(`${copy.id} is a copy of no thread`);
    const known = new Set(thread.messages.map(({ id }) => id));
    // All copies have a person's messages.
    const added = ownMessages(copy).filter(({ id }) => !known.has(id));
    thread.messages.push(...added);
    thread.tokens += added.reduce((sum, message) => sum + estimateMessageTokens(message), 0);
    delete threads[copy.id];
  }
}

/** Returns the number of first messages that a copy shares with its thread's present state. */
export function sharedNow(threads: Threads, { messages, branch }: Thread): number {
  const origin = branch ? (threads[branch.of]?.messages ?? []) : [];
  let count = 0;
  while (count < messages.length && messages[count] === origin[count]) count += 1;
  return count;
}

/** Returns the threads for handing over: messages that a copy shares with its thread are stored only in the thread. */
export function folded(threads: Threads): Threads {
  return mapThreads(threads, thread => {
    if (!thread.branch) return thread;
    const left = sharedNow(threads, thread);
    return { ...thread, messages: thread.messages.slice(left), branch: { ...thread.branch, left } };
  });
}

export function unfolded(threads: Threads): Threads {
  return mapThreads(threads, thread => {
    if (!thread.branch) return thread;
    const { left = 0, ...branch } = thread.branch;
    const begin = threads[branch.of]?.messages.slice(0, left) ?? [];
    return { ...thread, messages: [...begin, ...thread.messages], branch };
  });
}

function mapThreads(threads: Threads, change: (thread: Thread) => Thread): Threads {
  return Object.fromEntries(Object.entries(threads).map(([id, thread]) => [id, change(thread)]));
}
