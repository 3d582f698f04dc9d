/** Back to the planner. */
import { IMPROVEMENTS_BYTES } from '../../core/bounds.js';
import { fitted } from '../../core/fit.js';
import type { Improvements } from '../../core/place.js';
import { planningAt } from '../../core/place.js';
import type { Run } from '../run.js';

/** The next plan of the goal, which is to mend the one at hand. */
export function planAnew(
  run: Run,
  { from, wanted, reading = null }: Omit<Improvements, 'reading'> & Partial<Improvements>,
): void {
  const { cycle } = run.state.cursor.place;
  run.enter(planningAt(cycle + 1, { from, wanted: fitted(wanted, IMPROVEMENTS_BYTES), reading }));
}
