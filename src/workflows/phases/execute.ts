/** The execution phase: one task after the other (L3), or some side by side where the limits allow it. */

import { fill } from '../../base/words/words.js';
import { failedStepText } from '../../rules/gates/gate-text.js';
import { tasksToBegin } from '../../rules/plan/branches.js';
import { causeOfPlan } from '../../rules/plan/decide.js';
import { nextTask } from '../../rules/plan/plan-order.js';
import { afterFailedStep } from '../../rules/plan/step-failure.js';
import { plansLeft } from '../../run/limits/limits.js';
import { isOpen, type StepFailurePolicy, setStatus, type Task } from '../../run/plan/plan.js';
import { type Execution, executionAt } from '../../run/position/position.js';
import { sideBySide } from '../branches/side-by-side.js';
import { ask } from '../run/gates.js';
import {
  beginTask,
  blockStuckTasks,
  goOnWithoutTasks,
  noteBlocked,
  noteLimit,
  replan,
} from '../run/notes.js';
import { MOVED, type Moved, type Run } from '../run/run.js';
import { answerFor, type StepEnd, wrapUpAs } from './conclude.js';
import { orchestrate } from './orchestrate.js';
import { workOn } from './task.js';

/** One step of execution: choose what to do next, or take the task at hand a reply further. */
export async function execute(run: Run, position: Execution): Promise<StepEnd> {
  const { step } = position;
  const task = step.kind !== 'choose' && run.state.tasks.find(({ id }) => id === step.taskId);
  if (task) return step.kind === 'failed' ? finishFailure(run, task) : workOn(run, position, task);
  const { branches } = run.cursor;
  const next = tasksToBegin(run.state.tasks, { branches, atOnce: run.limits.parallelTasks });
  // A task that would be alone needs no branch.
  return branches.length > 0 || next.length > 1 ? sideBySide(run) : chooseTask(run, position);
}

/** The next task becomes that at work; without one the phase is over. */
function chooseTask(run: Run, { cycle }: Execution): Moved {
  const { state } = run;
  const task = nextTask(state.tasks);
  if (!task) {
    // Nothing stays open behind a task that a verdict has rejected since: verification would wait for it for ever.
    blockStuckTasks(run);
    return goOnWithoutTasks(run);
  }
  run.line.tools.badCalls = {};
  run.moveTo(executionAt(cycle, { kind: 'work', taskId: task.id }));
  beginTask(run, task);
  return MOVED;
}

/** Why a task was not begun whose plan was aborted. */
const ABORTED = 'aborted';

/** Once for each failure: the run stands at the task until it is settled how the plan goes on. */
async function finishFailure(run: Run, task: Task): Promise<StepEnd> {
  const { policy } = nextFor(run, run.pinned.onStepFailure);
  if (policy === 'orchestrate') return orchestrate(run, task);
  if (policy !== 'ask') return carryOn(run, task, run.pinned.onStepFailure);
  const { state } = run;
  const asked = await ask(run, {
    key: `step:${state.goal.number}:${run.cursor.position.cycle}:${task.id}`,
    kind: 'step',
    ...failedStepText(run.words, task),
    subject: { taskId: task.id, canReplan: canReplan(run) },
  });
  if (asked.kind !== 'answered') return answerFor(run, 'stopped');
  const { decision, reason } = asked.answer;
  if (reason) run.wish(reason);
  return carryOn(run, task, decision);
}

/** By a policy that asks nobody, as far as the limits allow it now. */
function carryOn(run: Run, task: Task, wanted: StepFailurePolicy): Moved {
  const { state } = run;
  const { policy, cycle } = nextFor(run, wanted);
  switch (policy) {
    case 'abort': {
      // Nothing stays open in a plan that is not carried out further, nor does what a person added: the answer says so.
      const rest = state.tasks.filter(isOpen).map(({ id }) => id);
      for (const id of rest) state.tasks = setStatus(state.tasks, id, 'blocked', { reason: ABORTED });
      noteBlocked(run, rest, ABORTED);
      return wrapUpAs(run, causeOfPlan(state.tasks), fill(run.words.whyAborted, { id: task.id }));
    }
    case 'replan':
      return replan(run, { from: 'step', wanted: [failedStepText(run.words, task).body] });
    default:
      if (wanted === 'replan') noteLimit(run, 'verification', task.id);
      return run.moveTo(executionAt(cycle));
  }
}

function nextFor(run: Run, policy: StepFailurePolicy) {
  const { cursor } = run;
  const { goal } = run.state;
  const { orchestrate: isAsked, roles } = run.pinned;
  const hasOrchestrator = isAsked && roles.orchestrator !== undefined;
  const given = { mode: goal.mode, policy, canReplan: canReplan(run), hasOrchestrator };
  return { policy: afterFailedStep(given), cycle: cursor.position.cycle };
}

/** The plan at hand takes the one that is left at the end. */
function canReplan({ state, limits }: Run): boolean {
  return plansLeft(state.goal.counters, limits) > 1;
}
