/** What the turn loop does with messages that wait (S1): skip the rest of a batch, note them, or route them. */
import type { InboxItem } from '../core/inbox.js';
import { batchAction, takeSteers, waitingSteers } from '../core/inbox.js';
import { NO_COUNTERS } from '../core/limits.js';
import { NO_USAGE } from '../core/message.js';
import { appliedReceipt } from '../core/receipt.js';
import type { Batch } from '../core/run-state.js';
import { startOf } from '../core/run-state.js';
import { withWish } from '../core/wishes.js';
import { skipOpenCalls } from './batch.js';
import type { Run } from './run.js';

export const UNDERSTANDING = 'understanding';

/** Skips what is left of an open batch when waiting messages want that (S1, C25). True when it did. */
export function skipForSteering(run: Run, batch: Batch, role: string): boolean {
  const waiting = readable(run) ? waitingSteers(run.state.inbox, role) : [];
  if (batchAction(waiting) !== 'skip_rest') return false;
  skipRest(run, batch, waiting);
  return true;
}

function skipRest(run: Run, batch: Batch, items: readonly InboxItem[]): void {
  const skippedTools = skipOpenCalls(run, batch);
  run.journal('steering', { ids: items.map(item => item.id), skippedTools });
}

/**
 * Nobody reads messages while others are being understood, or in the middle of a question to a second role:
 * they are for the role that asked it. Everywhere else what waits is read before the next model call, also
 * before the last one of a goal (PR5).
 */
export function readable({ state }: Run): boolean {
  return state.steering === null && state.cursor.phase !== 'consultation';
}

/** Whether a run that is held has something to listen to: what lets tool calls run first waits with them (PR4). */
export function hears(run: Run, role: string): boolean {
  if (!run.pinned.roles[UNDERSTANDING] || !readable(run)) return false;
  const action = batchAction(waitingSteers(run.state.inbox, role));
  return action === 'skip_rest' || (action === 'after_batch' && run.state.cursor.batch === null);
}

/** A run that is held has what waits understood, and comes back to where it is held. */
export function listen(run: Run, role: string): void {
  beginSteering(run, takeSteers(run.state.inbox, role), role);
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
    spent: { usage: NO_USAGE, counters: NO_COUNTERS },
  };
  run.moveTo(startOf('steering', state.cursor.cycle));
}

/**
 * Adds the messages to the thread of the role at work, with receipts. A run that is held was interrupted amid
 * tool calls perhaps: those that have not begun are skipped then (C25).
 */
export function note(
  run: Run,
  { items, role }: { items: readonly InboxItem[]; role: string | null },
  as: string,
): void {
  const { batch } = run.state.cursor;
  if (batch) skipRest(run, batch, items);
  const thread = role === null ? run.mainThread() : run.threadOf(run.role(role));
  for (const item of items) {
    run.say(thread, 'steer', item.text);
    wish(run, item.text);
  }
  run.state.cursor.reasked = false;
  receipts(run, items, as);
}

/** Keeps what a person said as a part of the goal (OU10). */
export function wish({ state: { goal } }: Run, text: string): void {
  goal.wishes = withWish(goal.wishes, text);
}

export function receipts(run: Run, items: readonly InboxItem[], as: string): void {
  const turn = run.state.goal.counters.turns + 1;
  for (const item of items) run.journal('receipt', appliedReceipt(item.id, { as, turn }));
}
