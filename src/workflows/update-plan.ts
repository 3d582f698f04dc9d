/** The one way in which tasks come into the plan: of the planner, or of a person. */
import type { PlannedTask } from '../core/plan.js';
import { mergePlan } from '../core/plan.js';
import type { Run } from './run.js';

/** Returns whether that changed anything. At most `maxTasks` may be open; what is over is left out. */
export function updatePlan(
  run: Run,
  planned: readonly PlannedTask[],
  options: { maxTasks: number; byPerson?: true },
): boolean {
  const { state } = run;
  const { cycle } = state.cursor.place;
  const { tasks, changed, cut } = mergePlan(state.tasks, planned, { ...options, cycle });
  state.tasks = tasks;
  const shown = tasks.map(({ id, description, status }) => ({ id, description, status }));
  run.journal('plan_updated', { tasks: shown, changed, cut });
  return changed;
}
