/** What the turn loop does with messages that wait (S1): skip the rest of a batch, note them, or route them. */
import type { InboxItem } from '../core/inbox.js';
import { batchAction, takeSteers, waitingSteers } from '../core/inbox.js';
import { appliedReceipt } from '../core/receipt.js';
import type { Batch } from '../core/run-state.js';
import { startOf } from '../core/run-state.js';
import { skipOpenCalls } from './batch.js';
import type { Run } from './run.js';

export const UNDERSTANDING = 'understanding';

/** Skips what is left of an open batch when waiting messages want that (S1, C25). True when it did. */
export function skipForSteering(run: Run, batch: Batch, role: string): boolean {
  const waiting = readable(run) ? waitingSteers(run.state.inbox, role) : [];
  if (batchAction(waiting) !== 'skip_rest') return false;
  const skippedTools = skipOpenCalls(run, batch);
  run.journal('steering', { ids: waiting.map(item => item.id), skippedTools });
  return true;
}

/**
 * Nobody reads messages while the goal is wrapped up, while others are being understood, or in the middle of a
 * question to a second role: they are for the role that asked it.
 */
export function readable({ state }: Run): boolean {
  return state.goal.wrapUp === null && state.steering === null && state.cursor.phase !== 'consultation';
}

/**
 * Applies all waiting messages together: as notes for the role, or, where the run has the understanding role,
 * by sending the run to the place where they are understood. True in the second case: the mode goes on there.
 */
export function applySteering(run: Run, role: string): boolean {
  const { state } = run;
  const items = readable(run) ? takeSteers(state.inbox, role) : [];
  if (items.length === 0) return false;
  if (run.pinned.roles[UNDERSTANDING]) {
    beginSteering(run, items, role);
    return true;
  }
  note(run, { items, role }, `a note to ${role}`);
  return false;
}

/** Sends the run to the place where messages are understood; it comes back to where it was. */
export function beginSteering(run: Run, items: InboxItem[], role: string | null): void {
  const { state } = run;
  state.steering = {
    items,
    role,
    idle: role === null,
    suspended: state.cursor,
    stage: 'understanding',
    intent: null,
    proposal: null,
    clarification: null,
    concerns: [],
    answers: [],
  };
  run.moveTo(startOf('steering', state.cursor.cycle));
}

/** Adds the messages to the thread of the role at work, with receipts. */
export function note(
  run: Run,
  { items, role }: { items: readonly InboxItem[]; role: string | null },
  as: string,
): void {
  const thread = role === null ? run.mainThread() : run.threadOf(run.role(role));
  for (const item of items) run.say(thread, 'steer', item.text);
  run.state.cursor.reasked = false;
  receipts(run, items, as);
}

export function receipts(run: Run, items: readonly InboxItem[], as: string): void {
  const turn = run.state.goal.counters.turns + 1;
  for (const item of items) run.journal('receipt', appliedReceipt(item.id, { as, turn }));
}
