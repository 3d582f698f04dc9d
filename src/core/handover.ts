/** What continue-as-new carries: the whole state, kept below the size a workflow input may have (L20). */

import { record } from './journal.js';
import { utf8Length } from './json.js';
import type { Task } from './plan.js';
import type { RunState } from './run-state.js';
import { shortenThread } from './shorten-thread.js';

/** The server refuses inputs over 2 MB, and the task then fails again and again with no end. */
const MAX_INPUT_BYTES = 1_600_000;

/** The state for the next part. Reports, then threads, pair-safely, are shortened until it fits. Changes `state`. */
export function fitForHandover(
  state: RunState,
  runId: string,
  at: number,
  maxBytes: number = MAX_INPUT_BYTES,
): RunState {
  const next: RunState = { ...state, part: state.part + 1, previousRunId: runId };
  record(next.journal, at, 'continued_as_new', { part: next.part });
  if (bytesOf(next) <= maxBytes) return next;
  next.tasks = next.tasks.map(withShortReport);
  for (let share = 0.75; bytesOf(next) > maxBytes && share > 0.01; share *= 0.6) {
    shortenThreads(next, share, at);
  }
  return next;
}

function bytesOf(state: RunState): number {
  return utf8Length(JSON.stringify(state));
}

const SHORT_REPORT_CHARS = 4_000;

/** Reports go before messages: what they say is in the conversation too. */
function withShortReport(task: Task): Task {
  if (task.result === null || task.result.length <= SHORT_REPORT_CHARS) return task;
  return { ...task, result: `${task.result.slice(0, SHORT_REPORT_CHARS)}…` };
}

function shortenThreads(state: RunState, share: number, at: number): void {
  for (const thread of Object.values(state.threads)) {
    const budget = Math.floor(thread.tokens * share);
    shortenThread(state, thread, budget, { why: 'size of the next part', at });
  }
}
