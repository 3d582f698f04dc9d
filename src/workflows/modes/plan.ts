/**
 * Plan mode: a plan, which a person may see, change and approve, its steps one after the other, and a summary
 * of what came of them, failures too. Nobody verifies: so says the outcome.
 */
import type { PositionsOf } from '../../core/state/position.js';
import { type GoalEnd, wrapUp } from '../phases/conclude.js';
import { execute } from '../phases/execute.js';
import { plan as makePlan } from '../phases/plan.js';
import type { Run } from '../run.js';

/** One step at the position where the goal stands; null: go on at the cursor. */
export async function plan(run: Run, position: PositionsOf['plan']): Promise<GoalEnd | null> {
  switch (position.phase) {
    case 'planning':
      return makePlan(run, position);
    case 'execution':
      return execute(run, position);
    case 'wrap_up':
      return wrapUp(run, position);
  }
}
