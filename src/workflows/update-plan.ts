/** The one way in which tasks come into the plan, of the planner or of a person, and in which they are dropped from it. */

import { mergePlan } from '../core/merge-plan.js';
import type { PlannedTask, Task } from '../core/plan.js';
import { REPLANNED } from '../core/plan.js';
import type { Run } from './run.js';

/**
 * Returns whether that changed anything. At most `maxTasks` may be open; what is over is left out. `dropped`: ids of
 * tasks that the plan gives up; those of a person stay.
 */
export function updatePlan(
  run: Run,
  planned: readonly PlannedTask[],
  options: { maxTasks: number; byPerson?: true; dropped?: readonly string[] },
): boolean {
  const { state } = run;
  const { cycle } = state.cursor.place;
  const { dropped = [], ...rest } = options;
  const fewer = dropTasks(
    run,
    ({ id, status, byPerson }) => dropped.includes(id) && status === 'pending' && !byPerson,
  );
  const { tasks, changed, cut } = mergePlan(state.tasks, planned, { ...rest, cycle });
  state.tasks = tasks;
  const shown = tasks.map(({ id, description, status }) => ({ id, description, status }));
  run.journal('plan_updated', { tasks: shown, changed: changed || fewer, cut });
  return changed || fewer;
}

/** Ends tasks as skipped, `replanned`; whether there were any. */
export function dropTasks(run: Run, which: (task: Task) => boolean): boolean {
  const end = { status: 'skipped', reason: REPLANNED } as const;
  const gone = run.state.tasks.filter(which);
  for (const { id } of gone) run.journal('task_ended', { taskId: id, ...end });
  run.state.tasks = run.state.tasks.map(task => (gone.includes(task) ? { ...task, ...end } : task));
  return gone.length > 0;
}
