/** The execution phase: one task after the other (L3), or some in parallel if the limits allow it. */

import { fill } from '../../base/words/words.js';
import { failedStepText } from '../../rules/gates/gate-text.js';
import { causeOfPlan } from '../../rules/plan/decide.js';
import { nextTask } from '../../rules/plan/plan-order.js';
import { afterFailedStep } from '../../rules/plan/step-failure.js';
import { plansLeft } from '../../run/limits/limits.js';
import { isOpen, type StepFailurePolicy, setStatus, type Task } from '../../run/plan/plan.js';
import { type Execution, executionAt } from '../../run/position/position.js';
import { taskFailed } from '../beside/moments.js';
import { sideBySide, tasksNext } from '../branches/side-by-side.js';
import { ask } from '../run/gates.js';
import { MOVED, type Moved, type Run } from '../run/run.js';
import {
  beginTask,
  blockStuckTasks,
  goOnWithoutTasks,
  noteBlocked,
  noteLimit,
  replan,
} from '../say/notes.js';
import { answerFor, type StepEnd, wrapUpAs } from './conclude.js';
import { workOn } from './task.js';

/** Takes one step of execution: chooses what to do next, or continues the current task by one reply. */
export async function execute(run: Run, position: Execution): Promise<StepEnd> {
  const { step } = position;
  const task = step.kind !== 'choose' && run.state.tasks.find(({ id }) => id === step.taskId);
  if (task) return step.kind === 'failed' ? finishFailure(run, task) : workOn(run, position, task);
  // A single task needs no branch.
  return run.cursor.branches.length > 0 || tasksNext(run).length > 1
    ? sideBySide(run)
    : chooseTask(run, position);
}

/** Begins the next task; if there is none, the phase ends. */
function chooseTask(run: Run, { cycle }: Execution): Moved {
  const { state } = run;
  const task = nextTask(state.tasks);
  if (!task) {
    // Tasks that depend on a task which a verdict rejected would stay open, and verification would wait for them
    // forever.
    blockStuckTasks(run);
    return goOnWithoutTasks(run);
  }
  run.line.tools.badCalls = {};
  run.moveTo(executionAt(cycle, { kind: 'work', taskId: task.id }));
  beginTask(run, task);
  return MOVED;
}

/** The reason of a task that never began because its plan was aborted. */
const ABORTED = 'aborted';

/** Handles a failed task once. The run stays at the task until it is decided how the plan continues. */
async function finishFailure(run: Run, task: Task): Promise<StepEnd> {
  const { policy } = nextFor(run, run.pinned.onStepFailure);
  const deciding = policy === 'orchestrate' ? taskFailed(run, task) : null;
  if (deciding) return deciding;
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

/** Applies a policy that asks no person, as far as the limits allow it now. */
function carryOn(run: Run, task: Task, wanted: StepFailurePolicy): Moved {
  const { state } = run;
  const { policy, cycle } = nextFor(run, wanted);
  switch (policy) {
    case 'abort': {
      // An aborted plan leaves no task open, not even a person's: the answer lists them.
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

/** True if another plan is left besides the current one, which uses the last at its end. */
function canReplan({ state, limits }: Run): boolean {
  return plansLeft(state.goal.counters, limits) > 1;
}
