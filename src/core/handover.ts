/** What continue-as-new carries: the whole state, with a conversation that leaves it below its bound. */

import { withShortTexts } from './fit-message.js';
import { folded, replaceMessages } from './forks.js';
import { record } from './journal.js';
import type { Message, UserMessage } from './message.js';
import type { RunState } from './run-state.js';
import { shortenThread } from './shorten-thread.js';
import { MAX_STATE_BYTES, roomForThreads, threadsBytes } from './state-bounds.js';
import { estimateMessageTokens } from './tokens.js';

/** The state for the next part. Changes `state`, in its threads and its journal. */
export function fitForHandover(
  state: RunState,
  runId: string,
  at: number,
  maxBytes: number = MAX_STATE_BYTES,
): RunState {
  const next: RunState = { ...state, part: state.part + 1, previousRunId: runId };
  record(next.log.journal, at, 'continued_as_new', { part: next.part });
  const missing = MAX_STATE_BYTES - maxBytes;
  shortenThreads(next, { maxBytes: roomForThreads(next) - missing, why: 'size of the next part', at });
  return { ...next, threads: folded(next.threads) };
}

/** Trimmed further than need be, so that it is not due again at once. */
const TRIMMED_SHARE = 0.8;

/** Shortens the threads, pair-safely, where they take more than `maxBytes` together. Changes `state`. */
export function shortenThreads(
  state: RunState,
  { maxBytes, why, at }: { maxBytes: number; why: string; at: number },
): void {
  if (threadsBytes(state) <= maxBytes) return;
  trimThreads(state, { maxBytes, why, at });
  cutTexts(state, maxBytes);
  // Nothing bounds how often people say something.
  trimThreads(state, { maxBytes, why, at, keepsWishes: false });
}

function trimThreads(
  state: RunState,
  { maxBytes, ...how }: { maxBytes: number; why: string; at: number; keepsWishes?: boolean },
): void {
  const threads = Object.values(state.threads);
  const before = threadsBytes(state);
  let share = Math.max(0, (maxBytes / before) * TRIMMED_SHARE);
  const tokens = threads.map(thread => thread.tokens);
  for (; threadsBytes(state) > maxBytes && share > 0.01; share *= 0.6) {
    for (const [index, thread] of threads.entries()) {
      shortenThread(state, thread, Math.floor((tokens[index] ?? 0) * share), { ...how, targetShare: 1 });
    }
  }
}

/** What stays of each message where even those that are always kept are too much. */
const TEXT_STEPS = [16_000, 4_000, 500];

function cutTexts(state: RunState, maxBytes: number): void {
  for (const bytes of TEXT_STEPS) {
    if (threadsBytes(state) <= maxBytes) return;
    for (const thread of Object.values(state.threads)) {
      const others = thread.messages.filter(message => !isGivenAgain(message));
      replaceMessages(
        thread,
        others.map(message => withShortTexts(message, bytes)),
      );
      thread.tokens = thread.messages.reduce((sum, message) => sum + estimateMessageTokens(message), 0);
      thread.epoch += 1;
    }
  }
}

const GIVEN_AGAIN: ReadonlySet<UserMessage['purpose']> = new Set(['role', 'notes', 'inventory']);

/** Prompts, and what is told of project and artifacts: whole or not there, for their delimiters would be cut too. */
function isGivenAgain(message: Message): boolean {
  return message.kind === 'user' && GIVEN_AGAIN.has(message.purpose);
}
