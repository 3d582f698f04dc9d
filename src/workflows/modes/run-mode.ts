/** The loop of every mode: one step where the run stands, then the next, so that a restored state goes on there. */

import { kindOf, type ModeKind, type ModeName } from '../../core/agents/modes.js';
import { here } from '../../core/state/cursor.js';
import type { Position, PositionsOf } from '../../core/state/position.js';
import { closeBranches } from '../branches/close-branches.js';
import { reloadTools } from '../changes/reload-tools.js';
import { CalledAway } from '../hearing.js';
import type { GoalEnd } from '../phases/conclude.js';
import { answerConsultation } from '../phases/consultation.js';
import { steer } from '../phases/steering.js';
import type { Run } from '../run.js';
import { auto } from './auto.js';
import { plan } from './plan.js';
import { steps } from './steps.js';
import { team } from './team.js';

/** One step of a kind of mode at a position of its own; null: go on at the cursor. */
type Step<P extends Position> = (run: Run, position: P) => Promise<GoalEnd | null>;

const STEPS: { readonly [K in ModeKind]: Step<PositionsOf[K]> } = { team, plan, steps, auto };

/** Pursues the goal to its end. Throws only what the platform throws: cancellation, continue-as-new. */
export async function runMode(run: Run): Promise<GoalEnd> {
  for (;;) {
    const end = await stepHere(run).catch(elsewhere);
    const { phase } = run.state.cursor.position;
    // What the goal has left behind, or ends with: the next step has the conversation in one.
    if (end || phase !== 'execution')
      closeBranches(run, end || phase === 'wrap_up' ? 'executing' : 'pending');
    if (end) return end;
  }
}

/** What came in between is settled first. */
async function stepHere(run: Run): Promise<GoalEnd | null> {
  const at = here(run.state.cursor);
  switch (at.phase) {
    case 'steering':
      return steer(run, at);
    case 'consultation':
      await answerConsultation(run, at);
      return null;
    default:
      await reloadTools(run);
      return stepOf(run.state.goal.mode)(run, at);
  }
}

/** A run stands only at positions of its own mode, which the compiler does not see. */
function stepOf(mode: ModeName): Step<Position> {
  return STEPS[kindOf(mode)] as Step<Position>;
}

/** A message called the run away from a gate: it goes on at the cursor. */
function elsewhere(thrown: unknown): null {
  if (thrown instanceof CalledAway) return null;
  throw thrown;
}
