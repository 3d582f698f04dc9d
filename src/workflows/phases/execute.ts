/** The execution phase: one task after the other (L3), or some side by side where the limits allow it. */
import { tasksToBegin } from '../../core/plan/branches.js';
import { nextTask } from '../../core/plan/plan-order.js';
import { type Execution, executionAt } from '../../core/state/position.js';
import { sideBySide } from '../branches/side-by-side.js';
import type { Run } from '../run.js';
import type { GoalEnd } from './conclude.js';
import { finishFailure } from './failed-step.js';
import { beginTask, blockStuckTasks, goOnWithoutTasks } from './notes.js';
import { workOn } from './task.js';

/** One step of execution: choose what to do next, or take the task at hand a reply further. */
export async function execute(run: Run, position: Execution): Promise<GoalEnd | null> {
  const { step } = position;
  const task = step.kind !== 'choose' && run.state.tasks.find(({ id }) => id === step.taskId);
  if (task) return step.kind === 'failed' ? finishFailure(run, task) : workOn(run, position, task);
  return goesSideBySide(run) ? sideBySide(run) : chooseTask(run, position);
}

/** A task that would be alone needs no branch. */
function goesSideBySide({ state: { cursor, tasks }, limits }: Run): boolean {
  const { branches } = cursor;
  return branches.length > 0 || tasksToBegin(tasks, { branches, atOnce: limits.parallelTasks }).length > 1;
}

/** The next task becomes that at work; without one the phase is over. */
function chooseTask(run: Run, { cycle }: Execution): null {
  const { state } = run;
  const task = nextTask(state.tasks);
  if (!task) {
    // Nothing stays open behind a task that a verdict has rejected since: verification would wait for it for ever.
    blockStuckTasks(run);
    goOnWithoutTasks(run);
    return null;
  }
  state.tools.badCalls = {};
  run.moveTo(executionAt(cycle, { kind: 'work', taskId: task.id }));
  beginTask(run, task);
  return null;
}
