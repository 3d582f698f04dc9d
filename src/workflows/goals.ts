/** Goals of a run, one after the other: how one begins and ends, whatever the platform. */

import { steersToFollowUps, takeFollowUp } from '../core/inbox.js';
import { preview } from '../core/journal.js';
import { utf8Length } from '../core/json.js';
import { headAndTail } from '../core/large-text.js';
import { clearGoal } from '../core/ledger.js';
import { droppedReceipt, queuedReceipt } from '../core/receipt.js';
import type { PinnedRun } from '../core/run-config.js';
import { MAX_BLOCK_BYTES, newGoal } from '../core/run-state.js';
import type { GoalEnd } from './conclude.js';
import type { Run } from './run.js';

/** Pins what was loaded, and says the first goal. */
export async function beginRun(run: Run, pinned: PinnedRun): Promise<void> {
  const { state } = run;
  state.pinned = pinned;
  const { tools, models, warnings } = pinned;
  run.journal('run_loaded', { tools: tools.length, models, warnings });
  state.goal.text = await withinBlockSize(run, state.goal.text);
  run.say(run.mainThread(), 'goal', state.goal.text);
  run.enterPhase('planning', 1);
}

/** No block in state is over 64 KB: longer text is kept by reference, for the tool `read_result`. */
async function withinBlockSize(run: Run, text: string): Promise<string> {
  if (utf8Length(text) <= MAX_BLOCK_BYTES) return text;
  const ref = await run.ports.storeText({ name: 'goal', text });
  return headAndTail(text, ref);
}

/** The next goal of the run: counters and tasks of its own, the conversation goes on (S2, S3). */
export function beginNextGoal(run: Run, text: string): void {
  const { state } = run;
  state.goal = newGoal(state.goal.number + 1, text, run.ports.now());
  state.tasks = [];
  state.badCalls = {};
  state.modelIndex = {};
  clearGoal(state.ledger);
  run.journal('goal_started', { number: state.goal.number, text: preview(text) });
  run.say(run.mainThread(), 'goal', text);
  run.enterPhase('planning', 1);
}

/** Keeps the goal's end on record, unless it only obeyed a follow-up that was no goal. */
export function endGoal(run: Run, { outcome, answer }: GoalEnd): void {
  const { state } = run;
  const { number, text } = state.goal;
  if (state.goals.some(goal => goal.number === number)) return;
  state.goals.push({ number, text, outcome, answer, turns: state.goal.counters.turns });
  run.journal('goal_ended', { number, outcome, answer: preview(answer) });
}

/** Outcomes after which the run ends, whatever waits. */
export function isFinal({ outcome }: GoalEnd): boolean {
  return outcome === 'stopped' || outcome === 'failed' || outcome === 'cancelled';
}

/**
 * The next follow-up, if the run goes on with one: what was said too late for this goal comes first, at its
 * place in the order of arrival (S2). Synchronous: it is the last look before a run ends.
 */
export function nextFollowUp(run: Run, end: GoalEnd) {
  const { state } = run;
  if (isFinal(end)) return null;
  const turned = steersToFollowUps(state.inbox);
  for (const item of turned) {
    const ahead = state.inbox.items.indexOf(item);
    run.journal('receipt', queuedReceipt(item.id, ahead));
  }
  return takeFollowUp(state.inbox);
}

/** Tells the senders of what nobody will read. */
export function dropInbox(run: Run): void {
  const { inbox } = run.state;
  for (const item of inbox.items)
    run.journal('receipt', droppedReceipt(item.id, 'The run ended before it was read.'));
  inbox.items = [];
}
