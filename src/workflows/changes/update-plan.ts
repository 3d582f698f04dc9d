/** The one way in which tasks come into the plan, of the planner or of a person, and in which they are dropped from it. */

import { mergePlan } from '../../rules/plan/merge-plan.js';
import { REMOVED, REPLANNED, released, type Task, type TaskChange } from '../../run/plan/plan.js';
import type { OpenGate } from '../../run/state/people.js';
import { closeGates } from '../run/gates.js';
import type { Run } from '../run/run.js';

/**
 * Returns whether that changed anything. At most `maxTasks` may be open; what is over is left out. `dropped`: ids of
 * tasks that are given up. What a person set is given up by a person, or by a plan where it is one of `mayGiveUp`.
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

/** Ends what a plan gives up; whether it was anything. Of a task that a person set, the person is told either way. */
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
 * WB4. A gate of the plan shows the plan as it was: nobody approves by it what has changed since. Its position asks anew,
 * so that an answer, which names the gate that was seen, is refused.
 */
function askAnew(run: Run): void {
  const isOfPlan = ({ gate, answer, agent }: OpenGate) => gate.kind === 'plan' && answer === null && !agent;
  closeGates(run, isOfPlan, 'the plan was changed');
}

/** Ends tasks as skipped; whether there were any. What a person does not want done is nothing to wait for. */
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
