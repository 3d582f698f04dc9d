/** What continue-as-new carries: the whole state, kept below the size a workflow input may have (L20). */

import { record } from './journal.js';
import { utf8Length } from './json.js';
import type { RunState } from './run-state.js';
import { shortenThread } from './shorten-thread.js';

/** The server refuses inputs over 2 MB, and the task then fails again and again with no end. */
const MAX_INPUT_BYTES = 1_600_000;

/** The state for the next part. Threads are shortened, pair-safely, until it fits. Changes `state`. */
export function fitForHandover(
  state: RunState,
  runId: string,
  at: number,
  maxBytes: number = MAX_INPUT_BYTES,
): RunState {
  const next: RunState = { ...state, part: state.part + 1, previousRunId: runId };
  record(next.journal, at, 'continued_as_new', { part: next.part });
  for (let share = 0.75; utf8Length(JSON.stringify(next)) > maxBytes && share > 0.01; share *= 0.6) {
    shortenThreads(next, share, at);
  }
  return next;
}

function shortenThreads(state: RunState, share: number, at: number): void {
  for (const thread of Object.values(state.threads)) {
    const budget = Math.floor(thread.tokens * share);
    shortenThread(state, thread, budget, { why: 'size of the next part', at });
  }
}
