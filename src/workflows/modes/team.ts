/**
 * Team mode (L1): plan, execute each task, verify; what a verification finds missing goes back to the
 * planner.
 */
import type { PlacesOf } from '../../core/state/place.js';
import type { GoalEnd } from '../phases/conclude.js';
import { wrapUp } from '../phases/conclude.js';
import { execute } from '../phases/execute.js';
import { plan } from '../phases/plan.js';
import { verify } from '../phases/verify.js';
import type { Run } from '../run.js';

/** One step at the place where the goal stands; null: go on at the cursor. */
export async function team(run: Run, place: PlacesOf['team']): Promise<GoalEnd | null> {
  switch (place.phase) {
    case 'planning':
      return plan(run, place);
    case 'execution':
      return execute(run, place);
    case 'verification':
      return verify(run, place);
    case 'wrap_up':
      return wrapUp(run, place);
  }
}
