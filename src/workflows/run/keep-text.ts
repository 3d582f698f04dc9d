/** Long texts by reference: the blob store has the full text, the state a part of it. */

import { OLD_ANSWER_BYTES, PAYLOAD_BYTES, REPORTS_BYTES } from '../../base/sizes/bounds.js';
import { sizeOfList } from '../../base/sizes/sizes.js';
import { cutText, cutWithoutStore, fitsText } from '../../base/text/fit.js';
import { headAndTail } from '../../base/text/large-text.js';
import { reportBytes, type Task } from '../../run/plan/plan.js';
import type { Run } from './run.js';

/** Bytes of a text that fit into one activity's input. */
const MOST_STORED_BYTES = PAYLOAD_BYTES - 100_000;

/** Returns the text if it fits, else its head and tail with a reference; without a reference if the store fails. */
export async function keepText(run: Run, name: string, text: string, maxBytes: number): Promise<string> {
  if (fitsText(text, maxBytes)) return text;
  const ref = await store(run, name, text);
  return ref === null ? cutWithoutStore(text, maxBytes) : headAndTail(text, ref, maxBytes);
}

/** Stores a text in the blob store. Returns null if a stop came or it failed, which the journal reports once. */
async function store(run: Run, name: string, text: string): Promise<string | null> {
  const { state, ports } = run;
  const kept = cutText(text, MOST_STORED_BYTES);
  const once = state.people.stop !== null || state.log.storeFailed;
  const stored = await ports.storeText({ name, text: kept }, { once });
  ports.throwIfCancelled();
  if (stored.ok) return stored.value.ref;
  if (stored.failure.kind !== 'cancelled') noteStoreFailed(run, name, stored.failure.message);
  return null;
}

/** Reports, once a run, that the blob store failed. `what`: the text that was not stored. */
export function noteStoreFailed(run: Run, what: string, why: string): void {
  const { log } = run.state;
  if (log.storeFailed) return;
  log.storeFailed = true;
  run.journal('store_failed', { what, why });
}

/**
 * True if the reports exceed their limit. Usually they do not, and a safe point has nothing to wait for. The cheap size of
 * the list is checked first.
 */
export function reportsAreOver(tasks: readonly Task[]): boolean {
  return sizeOfList(tasks) > REPORTS_BYTES && reportBytes(tasks) > REPORTS_BYTES;
}

/** Bytes that remain of a report after it was offloaded. */
const SHELVED_REPORT_BYTES = 3_000;
const LEAST_REPORT_BYTES = 300;

/**
 * Moves reports beyond their limit to the blob store, the oldest first. With hundreds of tasks, all are cut to the minimum.
 * Called at safe points.
 */
export async function offloadReports(run: Run): Promise<void> {
  for (const { id, result } of run.state.tasks) {
    if (reportBytes(run.state.tasks) <= REPORTS_BYTES) return;
    if (result !== null)
      run.changeTask(id, { result: await keepText(run, `report-${id}`, result, SHELVED_REPORT_BYTES) });
  }
  for (const { id, result } of run.state.tasks) {
    if (reportBytes(run.state.tasks) <= REPORTS_BYTES) return;
    if (result !== null) run.changeTask(id, { result: cutText(result, LEAST_REPORT_BYTES) });
  }
}

/** Offloads a long answer when another goal follows it. */
export async function offloadLastAnswer(run: Run): Promise<void> {
  const last = run.state.goals.at(-1);
  if (!last || last.number === run.state.goal.number || fitsText(last.answer, OLD_ANSWER_BYTES)) return;
  const answer = await keepText(run, `answer-${last.number}`, last.answer, OLD_ANSWER_BYTES);
  run.state.goals = run.state.goals.map(goal => (goal.number === last.number ? { ...goal, answer } : goal));
}
