/** Merges a new plan into the tasks of a run. */

import { jsonBytes } from '../../base/json/json.js';
import { PLAN_BYTES } from '../../base/sizes/bounds.js';
import { cutText } from '../../base/text/fit.js';
import {
  isOpen,
  type PlannedTask,
  REMOVED,
  released,
  type Task,
  type TaskChange,
  wholeTask,
} from '../../run/plan/plan.js';
import { inRunOrder } from './plan-order.js';

export interface MergeResult {
  tasks: Task[];
  /** False if the plan brought nothing new: planning stops (F7). */
  changed: boolean;
  /** Ids of planned tasks left out, for lack of room or because a person removed them. */
  cut: string[];
}

/** Merges a plan into the tasks by id. */
export function mergePlan(
  tasks: readonly Task[],
  changes: readonly TaskChange[],
  options: { cycle: number; maxTasks: number; byPerson?: true; was?: readonly Task[] },
): MergeResult {
  // Completed and executing tasks stay, pending ones take the plan's definition, and a later cycle revives failed,
  // skipped or blocked ones. A person's task is revived unchanged, and a task that a person removed stays removed.
  // Beyond `maxTasks` open tasks, the end of the run order is cut, so that no task waits for a missing one. `was`
  // contains the tasks before some were given up.
  const byId = new Map(tasks.map(task => [task.id, task]));
  const planned = changes.map((change, index) => wholeTask(change, byId.get(change.id), index + 1));
  const wanted = inRunOrder(planned).filter(plan => opens(byId.get(plan.id), options.cycle));
  const room = Math.max(0, options.maxTasks - tasks.filter(isOpen).length);
  const cut = new Set(wanted.slice(room).map(plan => plan.id));
  for (const { id } of planned) if (byId.get(id)?.reason === REMOVED) cut.add(id);

  let changed = false;
  for (const plan of planned) {
    if (cut.has(plan.id)) continue;
    const old = byId.get(plan.id);
    const merged = mergeTask(old, plan, options);
    if (merged !== old) {
      byId.set(plan.id, merged);
      changed = true;
    }
  }
  const merged = [...byId.values()];
  const kept = withinPlanBytes(options.byPerson ? merged : unreleased(merged, options.was ?? tasks), tasks);
  const ids = new Set(kept.map(task => task.id));
  return {
    tasks: [...kept],
    changed,
    cut: planned.map(plan => plan.id).filter(id => cut.has(id) || !ids.has(id)),
  };
}

/** Marks the changes of a plan, with the values at the last release. */
function unreleased(tasks: readonly Task[], old: readonly Task[]): Task[] {
  const byId = new Map(old.map(task => [task.id, task]));
  return tasks.map(task => {
    const was = byId.get(task.id);
    if (was === task) return task;
    if (was === undefined || was.before === null) return { ...task, before: null };
    const { before, ...original } = { ...was, ...was.before };
    const now = new Map(Object.entries(task));
    const differs = Object.entries(original).filter(
      ([key, value]) => JSON.stringify(value) !== JSON.stringify(now.get(key)),
    );
    const changed: Partial<Task> = Object.fromEntries(differs);
    const { result } = changed;
    // The conversation has its report.
    return { ...task, before: { ...changed, ...(result && { result: cutText(result, SHORT_TEXT_BYTES) }) } };
  });
}

/**
 * Bounds the tasks: shortens ended tasks, then all, then drops the newest. If that is not enough, the old tasks stay. A
 * person's tasks are never dropped.
 */
function withinPlanBytes(merged: readonly Task[], old: readonly Task[]): readonly Task[] {
  if (planBytes(merged) <= PLAN_BYTES) return merged;
  const oldIds = new Set(old.map(task => task.id));
  let kept = merged.map(task => (isOpen(task) ? task : inShort(task)));
  if (planBytes(kept) > PLAN_BYTES) kept = kept.map(inShort);
  let bytes = planBytes(kept);
  for (let last = kept.length - 1; bytes > PLAN_BYTES && last >= 0; last -= 1) {
    const task = kept[last];
    if (!task || task.byPerson || oldIds.has(task.id)) continue;
    kept.splice(last, 1);
    bytes -= taskBytes(task);
  }
  return bytes <= PLAN_BYTES ? kept : old;
}

/** A comma or a bracket follows each task. */
function planBytes(tasks: readonly Task[]): number {
  return tasks.reduce((bytes, task) => bytes + taskBytes(task), 1);
}

function taskBytes(task: Task): number {
  // Missing capabilities are repeated in the task's reason.
  return jsonBytes({ ...task, result: null, said: task.requiredCapabilities }) + 1;
}

const SHORT_TEXT_BYTES = 300;

function inShort(task: Task): Task {
  if (task.byPerson && task.reason !== REMOVED) return task;
  const { before } = task;
  return { ...task, ...shortWords(task), ...(before && { before: { ...before, ...shortWords(before) } }) };
}

function shortWords({
  description,
  completionCriteria,
  requiredCapabilities,
  call,
}: Partial<Task>): Partial<Task> {
  return {
    ...(description && { description: cutText(description, SHORT_TEXT_BYTES) }),
    ...(completionCriteria && { completionCriteria: cutText(completionCriteria, SHORT_TEXT_BYTES) }),
    ...(requiredCapabilities && { requiredCapabilities: [] }),
    // Cut arguments would change the call.
    ...(call && { call: null }),
  };
}

/** Returns the same object if the plan does not change the task. */
function mergeTask(
  old: Task | undefined,
  plan: PlannedTask,
  { cycle, byPerson }: { cycle: number; byPerson?: true },
): Task {
  if (old === undefined || opens(old, cycle)) {
    const isTheirs = byPerson || old?.byPerson;
    const fresh = {
      status: 'pending',
      rounds: 0,
      maxRounds: null,
      result: null,
      reason: null,
      begunMs: null,
      cycle,
    } as const;
    return {
      ...(old?.byPerson && !byPerson ? definitionOf(old) : plan),
      ...fresh,
      retries: old?.retries ?? 0,
      ...(isTheirs && { byPerson: true }),
    };
  }
  if (old.status !== 'pending' || (old.byPerson && !byPerson)) return old;
  if (isSameTask(old, plan)) return old;
  return byPerson ? { ...released(old), ...plan, byPerson } : { ...old, ...plan };
}

export function isSameTask(task: PlannedTask, other: PlannedTask): boolean {
  return JSON.stringify(definitionOf(task)) === JSON.stringify(definitionOf(other));
}

function definitionOf(task: PlannedTask): PlannedTask {
  return wholeTask({ id: task.id }, task, 1);
}

/** True if a plan may open the task: it is new, or ended under an earlier plan and a person did not remove it. */
function opens(old: Task | undefined, cycle: number): boolean {
  if (old === undefined) return true;
  const hasEnded = old.status === 'failed' || old.status === 'skipped' || old.status === 'blocked';
  return hasEnded && cycle > old.cycle && old.reason !== REMOVED;
}
