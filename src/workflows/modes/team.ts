/**
 * Team mode (L1): plan, execute each task, verify; what a verification finds missing goes back to the
 * planner.
 */
import type { PositionsOf } from '../../core/state/position.js';
import { type GoalEnd, wrapUp } from '../phases/conclude.js';
import { execute } from '../phases/execute.js';
import { plan } from '../phases/plan.js';
import { verify } from '../phases/verify.js';
import type { Run } from '../run.js';

/** One step at the position where the goal stands; null: go on at the cursor. */
export async function team(run: Run, position: PositionsOf['team']): Promise<GoalEnd | null> {
  switch (position.phase) {
    case 'planning':
      return plan(run, position);
    case 'execution':
      return execute(run, position);
    case 'verification':
      return verify(run, position);
    case 'wrap_up':
      return wrapUp(run, position);
  }
}
