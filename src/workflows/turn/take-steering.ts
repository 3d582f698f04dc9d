/**
 * Handles waiting messages in the turn loop (S1): skips the rest of a batch, then routes or notes them. Roles
 * interpret them first (`phases/steering.ts`) by default; with `steering: note` they go straight into the thread.
 */

import type { Batch } from '../../run/position/position.js';
import { here } from '../../run/state/cursor.js';
import type { Thread } from '../../run/state/thread.js';
import {
  batchAction,
  type InboxItem,
  takeSteers,
  waitingSteers,
  wantsInterrupt,
} from '../../run/steering/inbox.js';
import { appliedReceipt } from '../../run/steering/receipt.js';
import { tellRead } from '../agents/agents.js';
import { branchesOf } from '../run/branch-line.js';
import { beginSteering, mayRead, UNDERSTANDING } from '../run/hearing.js';
import type { Run } from '../run/run.js';
import { callsBesideReads } from './tools/decide-call.js';
import { supersedeCalls } from './tools/finish-call.js';

/**
 * Skips the rest of an open batch if waiting messages want that. False if calls remain to run: all of them, or (unless the
 * message interrupts) those that only read (SE7).
 */
export function skipForSteering(run: Run, batch: Batch, role: string): boolean {
  const waiting = mayRead(run) ? waitingSteers(run.state.people.inbox, role) : [];
  if (batchAction(waiting) !== 'skip_rest') return false;
  const others = run.behaves(2) && !wantsInterrupt(waiting) ? callsBesideReads(run, batch) : null;
  if (others === null) {
    skipRemaining(run, batch, waiting);
    return true;
  }
  if (!batch.readsOnly) noteSkipped(run, waiting, others);
  batch.readsOnly = true;
  return false;
}

function noteSkipped(run: Run, items: readonly InboxItem[], skippedTools: string[]): void {
  run.journal('steering', { ids: items.map(item => item.id), skippedTools });
}

function skipRemaining(run: Run, batch: Batch, items: readonly InboxItem[]): void {
  const skippedTools = supersedeCalls(run, batch);
  if (!batch.readsOnly || wantsInterrupt(items)) noteSkipped(run, items, skippedTools);
}

/** Applies waiting messages together: notes them for the role, or returns true after moving to their interpretation. */
export function applySteering(run: Run, role: string): boolean {
  const { state } = run;
  const items = mayRead(run) ? takeSteers(state.people.inbox, role) : [];
  if (items.length === 0) return false;
  if (run.pinned.roles[UNDERSTANDING]) {
    beginSteering(run, items, role);
    return true;
  }
  note(run, { items, role }, `a note to ${role}`);
  return false;
}

/** Adds the messages to the thread of the running role, and to that of each branch, with receipts. */
export function note(
  run: Run,
  { items, role }: { items: readonly InboxItem[]; role: string | null },
  as: string,
): void {
  const branches = branchesOf(run);
  // A held run may have open tool calls: those that have not begun are skipped.
  for (const line of [run, ...branches]) {
    const { batch } = here(line.cursor).turns;
    if (batch) skipRemaining(line, batch, items);
  }
  const thread = threadFor(run, role);
  const said = items.map(item => run.say(thread, 'steer', item.text));
  for (const line of branches) for (const message of said) line.append(threadFor(line, role), message);
  for (const item of items) run.wish(item.text);
  for (const line of [run, ...branches]) beginAnew(line, role);
  receipts(run, items, as);
}

function threadFor(run: Run, role: string | null): Thread {
  return role === null ? run.mainThread() : run.threadOf(run.role(role));
}

/** Discards the cut text and re-ask that preceded the messages: the role begins its reply to them anew. */
function beginAnew(run: Run, role: string | null): void {
  const { turns } = here(run.cursor);
  if (turns.cut !== null) run.say(threadFor(run, role), 'instruction', run.words.reaskText);
  turns.cut = null;
  turns.reasked = false;
}

export function receipts(run: Run, items: readonly InboxItem[], as: string): void {
  const turn = run.state.goal.counters.turns + 1;
  for (const item of items) {
    run.journal('receipt', appliedReceipt(item.id, { as, turn }));
    tellRead(run, item.id);
  }
}
