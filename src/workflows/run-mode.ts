/** The loop of every mode: one step where the run stands, then the next, so that a restored state goes on there. */

import { here } from '../core/state/cursor.js';
import { closeBranches } from './branches/side-by-side.js';
import { reloadTools } from './changes/reload-tools.js';
import { answer } from './phases/answer.js';
import { choose } from './phases/choose.js';
import { type GoalEnd, type StepEnd, wrapUp } from './phases/conclude.js';
import { answerConsultation } from './phases/consultation.js';
import { execute } from './phases/execute.js';
import { plan } from './phases/plan.js';
import { steer } from './phases/steering.js';
import { verify } from './phases/verify.js';
import { MOVED, type Run, Yielded } from './run.js';

/** Pursues the goal to its end. Throws only what the platform throws: cancellation, continue-as-new. */
export async function runMode(run: Run): Promise<GoalEnd> {
  for (;;) {
    const end = await step(run).catch(moved);
    const { phase } = run.state.cursor.position;
    // What the goal has left behind, or ends with: the next step has the conversation in one.
    if (end !== MOVED || phase !== 'execution')
      closeBranches(run, end !== MOVED || phase === 'wrap_up' ? 'executing' : 'pending');
    if (end !== MOVED) return end;
  }
}

/** One step where the run stands; what came in between is settled first. */
async function step(run: Run): Promise<StepEnd> {
  const at = here(run.state.cursor);
  if (at.phase === 'steering') return steer(run, at);
  if (at.phase === 'consultation') return answerConsultation(run, at);
  await reloadTools(run);
  switch (at.phase) {
    case 'choosing':
      return choose(run, at);
    case 'planning':
      return plan(run, at);
    case 'execution':
      return execute(run, at);
    case 'verification':
      return verify(run, at);
    case 'answering':
      return answer(run, at);
    case 'wrap_up':
      return wrapUp(run, at);
  }
}

function moved(thrown: unknown): StepEnd {
  if (thrown instanceof Yielded) return MOVED;
  throw thrown;
}
