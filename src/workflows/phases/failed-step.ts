/** What follows a task that has just failed: the policy of the run, or the orchestrator. */

import { failedStepText } from '../../core/gates/gate-text.js';
import { plansLeft } from '../../core/limits/limits.js';
import { causeOfPlan } from '../../core/plan/decide.js';
import { isOpen, setStatus, type Task } from '../../core/plan/plan.js';
import { afterFailedStep, type StepFailurePolicy } from '../../core/plan/step-failure.js';
import { fill } from '../../core/prompts/words.js';
import { executionAt } from '../../core/state/position.js';
import { ask } from '../gates.js';
import type { Run } from '../run.js';
import { keepUserNote } from '../turn/take-steering.js';
import { answerFor, type GoalEnd, wrapUpAs } from './conclude.js';
import { noteBlocked, noteLimit } from './notes.js';
import { orchestrate } from './orchestrate.js';
import { replan } from './plan-anew.js';

/** Why a task was not begun whose plan was aborted. */
const ABORTED = 'aborted';

/** Once for each failure: the run stands at the task until it is settled how the plan goes on. */
export async function finishFailure(run: Run, task: Task): Promise<GoalEnd | null> {
  const { policy } = nextFor(run, run.pinned.onStepFailure);
  if (policy === 'orchestrate') return orchestrate(run, task);
  if (policy !== 'ask') {
    carryOn(run, task, run.pinned.onStepFailure);
    return null;
  }
  const { state } = run;
  const asked = await ask(run, {
    key: `step:${state.goal.number}:${state.cursor.position.cycle}:${task.id}`,
    kind: 'step',
    ...failedStepText(run.words, task),
    subject: { taskId: task.id, canReplan: canReplan(run) },
  });
  if (asked.kind !== 'answered') return answerFor(run, 'stopped');
  const { decision, reason } = asked.answer;
  if (reason) keepUserNote(run, reason);
  carryOn(run, task, decision);
  return null;
}

/** By a policy that asks nobody, as far as the limits allow it now. */
function carryOn(run: Run, task: Task, wanted: StepFailurePolicy): void {
  const { state } = run;
  const { policy, cycle } = nextFor(run, wanted);
  switch (policy) {
    case 'abort':
      blockTheRest(run);
      wrapUpAs(run, causeOfPlan(state.tasks), fill(run.words.whyAborted, { id: task.id }));
      return;
    case 'replan':
      replan(run, { from: 'step', wanted: [failedStepText(run.words, task).body] });
      return;
    default:
      if (wanted === 'replan') noteLimit(run, 'verification', task.id);
      run.moveTo(executionAt(cycle));
  }
}

/** Nothing stays open in a plan that is not carried out further, nor does what a person added: the answer says so. */
function blockTheRest(run: Run): void {
  const { state } = run;
  const rest = state.tasks.filter(isOpen).map(({ id }) => id);
  for (const id of rest) state.tasks = setStatus(state.tasks, id, 'blocked', { reason: ABORTED });
  noteBlocked(run, rest, ABORTED);
}

function nextFor(run: Run, policy: StepFailurePolicy) {
  const { goal, cursor } = run.state;
  const { orchestrate: isAsked, roles } = run.pinned;
  const hasOrchestrator = isAsked && roles.orchestrator !== undefined;
  const given = { mode: goal.mode, policy, canReplan: canReplan(run), hasOrchestrator };
  return { policy: afterFailedStep(given), cycle: cursor.position.cycle };
}

/** The plan at hand takes the one that is left at the end. */
function canReplan({ state, limits }: Run): boolean {
  return plansLeft(state.goal.counters, limits) > 1;
}
