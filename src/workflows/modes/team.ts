/**
 * Team mode (L1): plan, execute each task, verify; what a verification finds missing goes back to the
 * planner. Re-entering it on a restored state goes on at the cursor.
 */

import { CalledAway } from '../hearing.js';
import type { GoalEnd } from '../phases/conclude.js';
import { wrapUp } from '../phases/conclude.js';
import { answerConsultation } from '../phases/consultation.js';
import { execute } from '../phases/execute.js';
import { plan } from '../phases/plan.js';
import { steer } from '../phases/steering.js';
import { verify } from '../phases/verify.js';
import type { Run } from '../run.js';

/** Pursues the goal to its end. Throws only what the platform throws: cancellation, continue-as-new. */
export async function team(run: Run): Promise<GoalEnd> {
  for (;;) {
    const end = await step(run).catch(elsewhere);
    if (end) return end;
  }
}

/** A message called the run away from a gate: it goes on at the cursor. */
function elsewhere(thrown: unknown): null {
  if (thrown instanceof CalledAway) return null;
  throw thrown;
}

/** One step at the place where the run stands; null: go on at the cursor. */
async function step(run: Run): Promise<GoalEnd | null> {
  switch (run.state.cursor.phase) {
    case 'planning':
      return plan(run);
    case 'execution':
      return execute(run);
    case 'verification':
      return verify(run);
    case 'wrap_up':
      return wrapUp(run);
    case 'steering':
      return steer(run);
    case 'consultation':
      await answerConsultation(run);
      return null;
  }
}
