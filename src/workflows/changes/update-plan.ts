/** Changes the plan; all tasks that the planner or a person adds or drops go through here. */

import { mergePlan } from '../../rules/plan/merge-plan.js';
import { REMOVED, REPLANNED, released, type Task, type TaskChange } from '../../run/plan/plan.js';
import type { OpenGate } from '../../run/state/people.js';
import { closeGates } from '../run/gates.js';
import type { Run } from '../run/run.js';

/**
 * Returns true if anything changed. At most `maxTasks` may be open; further ones are dropped. `dropped`: ids of tasks that are
 * given up. A person's task is only given up by a person, or by a plan if `mayGiveUp` lists it.
 */
export function updatePlan(
  run: Run,
  planned: readonly TaskChange[],
  options: {
    maxTasks: number;
    byPerson?: true;
    dropped?: readonly string[];
    mayGiveUp?: readonly string[];
  },
): boolean {
  const { state } = run;
  const { cycle } = state.cursor.position;
  const { dropped = [], mayGiveUp = [], ...rest } = options;
  const { byPerson } = options;
  const was = state.tasks;
  const fewer = byPerson
    ? dropTasks(run, ({ id }) => dropped.includes(id), REMOVED)
    : giveUp(run, { dropped, mayGiveUp });
  const { tasks, changed, cut } = mergePlan(state.tasks, planned, { ...rest, cycle, was });
  state.tasks = tasks;
  const shown = tasks.map(({ id, description, status }) => ({ id, description, status }));
  run.journal('plan_updated', { tasks: shown, changed: changed || fewer, cut });
  if (changed || fewer) askAnew(run);
  return changed || fewer;
}

/** Ends the tasks that a plan gives up; true if there were any. The person is notified if a task was theirs. */
function giveUp(
  run: Run,
  { dropped, mayGiveUp }: { dropped: readonly string[]; mayGiveUp: readonly string[] },
): boolean {
  const wanted = run.state.tasks.filter(({ id, status }) => dropped.includes(id) && status === 'pending');
  const theirs = wanted.filter(({ byPerson }) => byPerson);
  const may = ({ id }: Task) => mayGiveUp.includes(id);
  const ended = dropTasks(run, task => wanted.includes(task) && !task.byPerson, REPLANNED);
  const removed = dropTasks(run, task => theirs.includes(task) && may(task), REMOVED);
  for (const task of theirs) {
    const why = may(task)
      ? 'since they said so later. It is removed.'
      : 'which only a person removes. It stays.';
    run.journal('warning', { text: `The plan gives up ${task.id}, which a person set, ${why}` });
  }
  return ended || removed;
}

/**
 * WB4. Closes the gates that show the old plan: a person must not approve a change unseen. The position asks again, and an
 * answer to the old gate is refused.
 */
function askAnew(run: Run): void {
  const isOfPlan = ({ gate, answer, agent }: OpenGate) => gate.kind === 'plan' && answer === null && !agent;
  closeGates(run, isOfPlan, 'the plan was changed');
}

/** Ends tasks as skipped; true if there were any. Other tasks do not wait for what a person removed. */
export function dropTasks(
  run: Run,
  which: (task: Task) => boolean,
  reason: typeof REMOVED | typeof REPLANNED,
): boolean {
  const end = { status: 'skipped', reason } as const;
  const gone = run.state.tasks.filter(which);
  for (const { id } of gone) run.journal('task_ended', { taskId: id, ...end });
  const ids = reason === REMOVED ? gone.map(({ id }) => id) : [];
  run.state.tasks = run.state.tasks.map(task => {
    if (gone.includes(task)) return { ...released(task), ...end };
    if (ids.length === 0) return task;
    return { ...task, dependencies: task.dependencies.filter(id => !ids.includes(id)) };
  });
  return gone.length > 0;
}
