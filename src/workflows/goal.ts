/** How a goal begins and ends, whatever the platform: what the workflow and the simulation share. */
import { preview } from '../core/journal.js';
import { isRecord, utf8Length } from '../core/json.js';
import { headAndTail } from '../core/large-text.js';
import type { PinnedRun } from '../core/run-config.js';
import { MAX_BLOCK_BYTES } from '../core/run-state.js';
import type { GoalEnd } from './conclude.js';
import { whatThereIs } from './conclude.js';
import type { Run } from './run.js';
import { closeOpenCalls } from './run-tools.js';

/** Pins what was loaded, and says the goal. */
export async function beginGoal(run: Run, pinned: PinnedRun): Promise<void> {
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

/** Notes the stop and aborts the call in flight where that is safe; the loop does the rest (L10). */
export function requestStop(run: Run, input: unknown): void {
  const { state } = run;
  if (state.end || state.stop) {
    run.journal('signal_ignored', {
      signal: 'stop',
      reason: state.end ? 'the run has ended' : 'already stopping',
    });
    return;
  }
  const reason = isRecord(input) && typeof input.reason === 'string' ? input.reason.slice(0, 500) : '';
  state.stop = { at: run.ports.now(), reason };
  run.journal('stop_requested', { reason });
  run.ports.interrupt();
}

export function endGoal(run: Run, { outcome, answer }: Pick<GoalEnd, 'outcome' | 'answer'>): void {
  run.state.end = { outcome, answer };
  run.journal('run_ended', { outcome, answer: preview(answer) });
  run.ports.show(run.state);
}

/** The end of a cancelled run: open calls are closed, and what there is becomes its answer. */
export function endCancelled(run: Run): void {
  closeOpenCalls(run);
  endGoal(run, { outcome: 'cancelled', answer: run.state.pinned ? whatThereIs(run) : '' });
}
