/** The changes that a person may make to a plan (L17): accepted ones take effect, so impossible ones are refused (PR2). */

import { PLAN_BYTES } from '../../base/sizes/bounds.js';
import { preview } from '../../base/text/preview.js';
import { fill, type Words } from '../../base/words/words.js';
import type { Cause } from '../../run/limits/cause.js';
import {
  ECHOED,
  isOpen,
  isUndone,
  type PlannedTask,
  planCycles,
  planInForce,
  type Task,
  type TaskChange,
  wholeTask,
} from '../../run/plan/plan.js';
import { type Capabilities, missing } from '../agents/capabilities.js';
import { isSameTask, mergePlan } from './merge-plan.js';

const WHY_FIXED: Record<Exclude<Task['status'], 'pending'>, string> = {
  executing: 'has begun already',
  completed: 'is completed',
  failed: 'has failed',
  skipped: 'was skipped',
  blocked: 'is blocked',
};

/** Returns the open tasks missing in a person's list, which removes them. `shown`: the tasks that they saw. Default: all. */
export function leftOut(
  tasks: readonly Task[],
  { tasks: edit, shown }: { tasks: readonly TaskChange[]; shown?: readonly string[] },
): string[] {
  const named = new Set(edit.map(({ id }) => id));
  const isLeftOut = ({ id, status }: Task) =>
    status === 'pending' && !named.has(id) && (shown?.includes(id) ?? true);
  return tasks.filter(isLeftOut).map(({ id }) => id);
}

/** Tasks that a person adds or changes, and ids of those that they remove. */
export interface PlanChange {
  tasks: readonly TaskChange[];
  removed: readonly string[];
}

/** Returns the faults of a person's removals, in sentences. */
export function removalFaults(tasks: readonly Task[], { tasks: changes, removed }: PlanChange): string[] {
  const faults = removed.flatMap(id => {
    const task = tasks.find(each => each.id === id);
    if (task === undefined) return [`There is no task ${id}.`];
    if (task.status !== 'pending') return [`Task ${id} ${WHY_FIXED[task.status]} and cannot be removed.`];
    return changes.some(change => change.id === id) ? [`Task ${id} is changed and removed.`] : [];
  });
  const left = planInForce(tasks).some(({ id }) => !removed.includes(id));
  if (removed.length > 0 && changes.length === 0 && !left)
    faults.push('Nothing would be left of the plan: stop the run, or add what is to be done.');
  return faults;
}

/** Returns the faults of a person's added or changed tasks, in sentences. In `tasks`, removed ones count as removed. */
export function planEditFaults(
  changes: readonly TaskChange[],
  { tasks, maxTasks, has }: { tasks: readonly Task[]; maxTasks: number; has: Capabilities },
): string[] {
  const byId = new Map(tasks.map(task => [task.id, task]));
  const edit = changes.map((change, index) => wholeTask(change, byId.get(change.id), index + 1));
  const faults: string[] = [];
  for (const { id, dependencies, requiredCapabilities } of edit) {
    const status = byId.get(id)?.status ?? 'pending';
    if (status !== 'pending')
      faults.push(`Task ${id} ${WHY_FIXED[status]} and cannot be changed: give new work a new id.`);
    const lacking = missing(requiredCapabilities, has);
    if (lacking.length > 0) faults.push(`Task ${id} needs ${lacking.join(', ')}, which is not available.`);
    for (const needed of dependencies) {
      const other = byId.get(needed)?.status;
      if (other === 'failed' || other === 'blocked')
        faults.push(`Task ${id} would never begin: ${needed} ${WHY_FIXED[other]}.`);
    }
  }
  const edited = new Set(edit.map(task => task.id));
  const open: PlannedTask[] = [...tasks.filter(task => isOpen(task) && !edited.has(task.id)), ...edit];
  if (open.length > maxTasks)
    faults.push(
      `The plan would have ${open.length} open tasks, and the limit tasks is ${maxTasks}: give fewer, or raise the limit first.`,
    );
  const merged = mergePlan(tasks, edit, { cycle: 1, maxTasks: Number.POSITIVE_INFINITY, byPerson: true });
  const whole = (task: PlannedTask) =>
    merged.tasks.some(other => other.id === task.id && isSameTask(other, task));
  if (faults.length === 0 && !edit.every(whole))
    faults.push(
      `The plan would be over ${PLAN_BYTES} bytes: say it in fewer words, and name files for the rest.`,
    );
  const [circle] = planCycles(open);
  if (circle) faults.push(`These tasks would wait for each other: ${circle.join(', ')}.`);
  return faults;
}

/** Causes that mean that the plan is not done, regardless of the verdict. */
const NOT_DONE: readonly Cause[] = ['failed:tasks', 'tasks_failed', 'tasks_open'];

/**
 * Names tasks that are not done although the goal has ended: a person's; and all of the plan's, if they caused the end
 * or the plan failed midway.
 */
export function notDoneText(tasks: readonly Task[], cause: Cause, words: Words): string {
  const isOnTheWay = cause.startsWith('failed:') && tasks.some(({ result }) => result !== null);
  const isWhy = isOnTheWay || NOT_DONE.includes(cause);
  const left = planInForce(tasks).filter(
    // A task that the report on another task gave up was not checked.
    task => task.reason === ECHOED || (isUndone(task) && (isWhy || task.byPerson)),
  );
  if (left.length === 0) return '';
  const lines = left.map(task => `${task.id} (${preview(task.description, 100)})${whyUndone(task, words)}`);
  return fill(words.notDone, { tasks: lines.join('; ') });
}

/** Only the executor's report has its reason for a skip. */
function whyUndone(task: Task, words: Words): string {
  const { status, reason, result } = task;
  if (isOpen(task)) return '';
  const shownReason = reason === ECHOED ? words.notDoneReport : reason;
  const why = reason === status ? preview(result ?? '', 200) : shownReason;
  return ` [${[status, why].filter(Boolean).join(': ')}]`;
}
