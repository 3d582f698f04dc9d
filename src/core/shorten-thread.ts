/** Shortening a thread of a run's state, with all that refers to its messages (X3). */
import { record } from './journal.js';
import { forgetResults } from './ledger.js';
import type { RunState, Thread } from './run-state.js';
import { estimateMessageTokens } from './tokens.js';
import { trimThread } from './trim.js';

/**
 * Trims a thread below `budgetTokens` if it is above, pair-safely, and begins a new epoch of it. The ledger
 * forgets the results that went: they can't be given again. Changes `state`; journals what it did.
 */
export function shortenThread(
  state: RunState,
  thread: Thread,
  budgetTokens: number,
  { why, at }: { why: string; at: number },
): void {
  if (thread.tokens <= budgetTokens) return;
  const { messages, dropped } = trimThread(thread.messages, budgetTokens);
  if (dropped === 0) return;
  const kept = new Set(messages.map(message => message.id));
  forgetResults(
    state.ledger,
    thread.messages.filter(message => !kept.has(message.id)).map(message => message.id),
  );
  thread.messages = messages;
  thread.tokens = messages.reduce((sum, message) => sum + estimateMessageTokens(message), 0);
  thread.epoch += 1;
  thread.dropped += dropped;
  record(state.journal, at, 'thread_trimmed', { thread: thread.id, dropped, why });
}
