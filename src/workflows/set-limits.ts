/** The one way in which the limits of a run in flight change: see core/gates/enlarge.ts for who may. */
import type { Enlarger } from '../core/gates/enlarge.js';
import type { Limits } from '../core/limits.js';
import { underCeilings } from '../core/limits.js';
import type { Run } from './run.js';

/** They count from the next check on. */
export function setLimits(run: Run, limits: Partial<Limits>, by: Enlarger): void {
  const { pinned, state } = run;
  state.limits = { ...state.limits, ...underCeilings(limits, pinned.ceilings) };
  state.goal.warned = state.goal.warned.filter(budget => !(budget in limits));
  run.journal('budget_set', { limits, by });
}
