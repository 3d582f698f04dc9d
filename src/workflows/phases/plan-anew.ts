/** Where a plan is to be mended: back to whoever makes it. */

import { IMPROVEMENTS_BYTES } from '../../core/state/bounds.js';
import { type Improvements, planningAt } from '../../core/state/position.js';
import { fitted } from '../../core/text/fit.js';
import type { Run } from '../run.js';

/** The next plan of the goal, which is to mend the one at hand: only in a mode that has plans. */
export function planAnew(
  run: Run,
  { from, wanted, reading = null }: Omit<Improvements, 'reading'> & Partial<Improvements>,
): void {
  const improvements = { from, wanted: fitted(wanted, IMPROVEMENTS_BYTES), reading };
  run.enter(planningAt(run.state.cursor.position.cycle + 1, improvements));
}

/** As before, without a verification or a person who asks for it: counted, so that it comes to an end. */
export function replan(run: Run, improvements: Parameters<typeof planAnew>[1]): void {
  const { goal } = run.state;
  goal.counters = { ...goal.counters, replans: goal.counters.replans + 1 };
  planAnew(run, improvements);
}
