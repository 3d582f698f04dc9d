/** Plan items and their order and states (G15): one superset of todo, task and step. */
import { PLAN_BYTES } from './bounds.js';
import { cutText } from './fit.js';
import { jsonBytes } from './json.js';

export type TaskStatus = 'pending' | 'executing' | 'completed' | 'failed' | 'skipped' | 'blocked';
export const TASK_STATUSES: readonly TaskStatus[] = [
  'pending',
  'executing',
  'completed',
  'failed',
  'skipped',
  'blocked',
];

/** A task as a planner states it. The order of a list of them is the plan's order. */
export interface PlannedTask {
  id: string;
  description: string;
  /** 1 is the highest (L7). */
  priority: number;
  /** Ids of tasks that must be completed or skipped first. */
  dependencies: string[];
  /** Names of what it cannot do without: see `capabilities.ts`. Empty for nothing in particular. */
  requiredCapabilities: string[];
  /** Milliseconds that it should take; null where nobody says. */
  estimatedDuration: number | null;
  /** How to see that the task is done. */
  completionCriteria: string | null;
}

/** A task of the run. */
export interface Task extends PlannedTask {
  status: TaskStatus;
  /** Executor rounds used. */
  rounds: number;
  /** Rounds that this task was allowed in place of the limit; null for the limit. */
  maxRounds: number | null;
  /** Times that it was tried again on the orchestrator's proposal. */
  retries: number;
  /** What the executor reported; null until it did. */
  result: string | null;
  /** Why it has its status: `max_rounds`, `gave_up`, `dependency_failed`, `echoed`, `rejected` and so on. */
  reason: string | null;
  /** The goal's working time when it began, milliseconds, while its estimate is watched; else null. */
  begunMs: number | null;
  /** The planning cycle whose plan it belongs to, from 1: the last that added, revived or went on with it. */
  cycle: number;
  /** A person added or changed it: no plan of a role changes or drops it before it is done. */
  byPerson?: true;
}

/** A status of an executor's echoed list (F5). */
export interface EchoedTask {
  id: string;
  status: TaskStatus;
}

export interface MergeResult {
  tasks: Task[];
  /** False when the plan brought nothing new: planning stops (F7). */
  changed: boolean;
  /** Ids of planned tasks left out because of `maxTasks`. */
  cut: string[];
}

/**
 * Merges a plan into the tasks by id. Completed and executing tasks stay as they are, pending
 * ones take the new definition, failed, skipped and blocked ones are revived by a later cycle's plan,
 * and tasks that the plan does not name stay.
 *
 * At most `maxTasks` tasks may be open (pending or executing) at once; what is over is cut from the end
 * of the run order, so that no task that is kept waits for one that is not.
 */
export function mergePlan(
  tasks: readonly Task[],
  planned: readonly PlannedTask[],
  options: { cycle: number; maxTasks: number; byPerson?: true },
): MergeResult {
  const byId = new Map(tasks.map(task => [task.id, task]));
  const wanted = inRunOrder(planned).filter(plan => opensTask(byId.get(plan.id), options.cycle));
  const room = Math.max(0, options.maxTasks - tasks.filter(isOpen).length);
  const cut = new Set(wanted.slice(room).map(plan => plan.id));

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
  const kept = withinPlanBytes([...byId.values()], tasks);
  const ids = new Set(kept.map(task => task.id));
  return {
    tasks: [...kept],
    changed,
    cut: planned.map(plan => plan.id).filter(id => cut.has(id) || !ids.has(id)),
  };
}

/**
 * What the tasks say, within its bound: those that have ended are told in short, then all, then new ones
 * are left out from the end. Where not even that will do, the plan stays as it was.
 */
function withinPlanBytes(merged: readonly Task[], old: readonly Task[]): readonly Task[] {
  if (planBytes(merged) <= PLAN_BYTES) return merged;
  const oldIds = new Set(old.map(task => task.id));
  let kept = merged.map(task => (isOpen(task) ? task : inShort(task)));
  if (planBytes(kept) > PLAN_BYTES) kept = kept.map(inShort);
  for (let last = kept.length - 1; planBytes(kept) > PLAN_BYTES && last >= 0; last -= 1) {
    if (!oldIds.has(kept[last]?.id ?? '')) kept.splice(last, 1);
  }
  return planBytes(kept) <= PLAN_BYTES ? kept : old;
}

/** Bytes of the reports of tasks. */
export function reportBytes(tasks: readonly Task[]): number {
  return tasks.reduce((bytes, task) => bytes + jsonBytes(task.result ?? ''), 0);
}

function planBytes(tasks: readonly Task[]): number {
  // What a task needs and nothing has is said again in its reason.
  return jsonBytes(tasks.map(task => ({ ...task, result: null, said: task.requiredCapabilities })));
}

const SHORT_TEXT_BYTES = 300;

function inShort(task: Task): Task {
  const { description, completionCriteria } = task;
  return {
    ...task,
    description: cutText(description, SHORT_TEXT_BYTES),
    completionCriteria: completionCriteria === null ? null : cutText(completionCriteria, SHORT_TEXT_BYTES),
    requiredCapabilities: [],
  };
}

/** True when a planned task would add to the open ones. */
function opensTask(old: Task | undefined, cycle: number): boolean {
  return old === undefined || revives(old, cycle);
}

function revives(old: Task, cycle: number): boolean {
  return (
    cycle > old.cycle && (old.status === 'failed' || old.status === 'skipped' || old.status === 'blocked')
  );
}

/** The same object when the plan says nothing new of the task. */
function mergeTask(
  old: Task | undefined,
  plan: PlannedTask,
  { cycle, byPerson }: { cycle: number; byPerson?: true },
): Task {
  const by = byPerson ? { byPerson } : {};
  if (old === undefined || revives(old, cycle)) {
    const fresh = {
      status: 'pending',
      rounds: 0,
      maxRounds: null,
      result: null,
      reason: null,
      begunMs: null,
      cycle,
    } as const;
    return { ...definitionOf(plan), ...fresh, retries: old?.retries ?? 0, ...by };
  }
  if (old.byPerson && !byPerson) return old;
  if (old.status !== 'pending' || JSON.stringify(definitionOf(old)) === JSON.stringify(definitionOf(plan))) {
    return old;
  }
  return { ...old, ...definitionOf(plan), ...by };
}

function definitionOf(task: PlannedTask): PlannedTask {
  return {
    id: task.id,
    description: task.description,
    priority: task.priority,
    dependencies: [...task.dependencies],
    requiredCapabilities: [...task.requiredCapabilities],
    estimatedDuration: task.estimatedDuration,
    completionCriteria: task.completionCriteria,
  };
}

/** The reason of a completed task whose result a person was to confirm, and nobody did. */
export const UNCONFIRMED = 'unconfirmed';
/** The reason of a task that a plan gave up, or that was dropped with the plan that it belonged to. */
export const REPLANNED = 'replanned';

/**
 * The plan that counts at the end: all that is completed or still to be done, and what failed, was blocked or
 * skipped since the latest plan. What ended so under an earlier plan and was not taken up again is replaced by
 * what came after it.
 */
export function planInForce(tasks: readonly Task[]): Task[] {
  const latest = Math.max(0, ...tasks.filter(task => task.reason !== REPLANNED).map(task => task.cycle));
  return tasks.filter(
    task =>
      task.status === 'completed' || isOpen(task) || (task.cycle === latest && task.reason !== REPLANNED),
  );
}

/** Puts the open tasks of earlier plans under this one, which goes on with them. */
export function adoptOpenTasks(tasks: readonly Task[], cycle: number): Task[] {
  return tasks.map(task => (isOpen(task) && task.cycle !== cycle ? { ...task, cycle } : task));
}

/** True for tasks that are still to be done. */
export function isOpen(task: Task): boolean {
  return task.status === 'pending' || task.status === 'executing';
}

/**
 * The task to work on (C20): the one that is executing, else, of the pending ones whose dependencies
 * are completed or skipped, the one with the lowest priority number, ties in plan order. Null at the end.
 *
 * Dependencies that the tasks do not have count as met. Where merged plans wait for each other in a
 * circle, the circle is cut at its first task by priority, so that a run never stands still. Call
 * `blockDependants` first: pending tasks behind a failure are never returned.
 */
export function nextTask(tasks: readonly Task[]): Task | null {
  const executing = firstByPriority(tasks.filter(task => task.status === 'executing'));
  if (executing !== null) return executing;
  const byId = new Map(tasks.map(task => [task.id, task]));
  const statuses = (task: Task) => task.dependencies.map(id => byId.get(id)?.status ?? 'completed');
  const pending = tasks.filter(
    task =>
      task.status === 'pending' &&
      !statuses(task).some(status => status === 'failed' || status === 'blocked'),
  );
  const ready = pending.filter(task => !statuses(task).some(status => status === 'pending'));
  if (ready.length > 0) return firstByPriority(ready);
  const circling = new Set(planCycles(pending).flat());
  return firstByPriority(pending.filter(task => circling.has(task.id)));
}

function firstByPriority<T extends PlannedTask>(tasks: readonly T[]): T | null {
  let first: T | null = null;
  for (const task of tasks) if (first === null || task.priority < first.priority) first = task;
  return first;
}

/** Planned tasks in the order in which they would run if all went well. Input order breaks ties. */
export function inRunOrder<T extends PlannedTask>(planned: readonly T[]): T[] {
  const left = new Map(planned.map(task => [task.id, task]));
  const ordered: T[] = [];
  while (left.size > 0) {
    const candidates = [...left.values()];
    const ready = candidates.filter(task => !task.dependencies.some(id => left.has(id)));
    const next = firstByPriority(ready.length > 0 ? ready : candidates);
    if (next === null) break;
    left.delete(next.id);
    ordered.push(next);
  }
  return ordered;
}

/**
 * Blocks every pending task behind a failed or blocked one, over any distance, with the reason
 * `dependency_failed`. A skipped dependency does not block: skipping says that a task is not needed.
 */
export function blockDependants(tasks: readonly Task[]): { tasks: Task[]; blocked: string[] } {
  const stuck = new Set(
    tasks.filter(task => task.status === 'failed' || task.status === 'blocked').map(task => task.id),
  );
  const blocked = new Set<string>();
  for (let before = -1; before !== blocked.size; ) {
    before = blocked.size;
    for (const task of tasks) {
      if (task.status !== 'pending' || !task.dependencies.some(id => stuck.has(id))) continue;
      stuck.add(task.id);
      blocked.add(task.id);
    }
  }
  return {
    tasks: tasks.map(task =>
      blocked.has(task.id) ? { ...task, status: 'blocked', reason: 'dependency_failed' } : task,
    ),
    blocked: [...blocked],
  };
}

/**
 * Gives one task a status; an unknown id changes nothing, and neither does anything but `completed` for
 * a completed task. Reason and result are replaced where given; without a reason it becomes null.
 */
export function setStatus(
  tasks: readonly Task[],
  id: string,
  status: TaskStatus,
  change: { reason?: string | null; result?: string | null; rounds?: number } = {},
): Task[] {
  return tasks.map(task => {
    if (task.id !== id || (task.status === 'completed' && status !== 'completed')) return task;
    return {
      ...task,
      status,
      reason: change.reason ?? null,
      result: change.result === undefined ? task.result : change.result,
      rounds: change.rounds ?? task.rounds,
    };
  });
}

/**
 * Applies an executor's echoed list: statuses by id, reason `echoed`, for tasks that have not begun.
 * An echo completes nothing: a task is done when it ran and reported itself, so it is begun in its turn, where
 * a word suffices if its work was done on the way. Unknown ids are ignored, so are ended tasks (nothing is
 * un-completed, no failure talked away), the current task (its status comes from the decision), tasks that a
 * person set, and `executing`, for only code starts a task.
 */
export function applyEcho(tasks: readonly Task[], echoed: readonly EchoedTask[], currentId: string): Task[] {
  const statusById = new Map(echoed.map(echo => [echo.id, echo.status]));
  return tasks.map(task => {
    const status = statusById.get(task.id);
    if (task.id === currentId || task.status !== 'pending' || task.byPerson) return task;
    if (status !== 'failed' && status !== 'skipped' && status !== 'blocked') return task;
    return { ...task, status, reason: 'echoed' };
  });
}

/**
 * Marks completed tasks that a verification found wanting as failed (`rejected`), so that a later plan
 * can revive them under their ids. The one way out of `completed`: a verdict, not an echo or a plan.
 */
export function rejectTasks(tasks: readonly Task[], ids: readonly string[]): Task[] {
  return tasks.map(task =>
    ids.includes(task.id) && task.status === 'completed'
      ? { ...task, status: 'failed', reason: 'rejected' }
      : task,
  );
}

/**
 * Dependency circles of a plan, each as the ids along it; a task that names itself is a circle of one.
 * At least one is found where any exists, not every one. Unknown ids are left out of account.
 */
export function planCycles(planned: readonly PlannedTask[]): string[][] {
  const next = unresolvable(planned);
  const seen = new Set<string>();
  const cycles: string[][] = [];
  for (const start of next.keys()) {
    const path: string[] = [];
    const onPath = new Map<string, number>();
    let at: string | undefined = start;
    while (at !== undefined && !seen.has(at)) {
      seen.add(at);
      onPath.set(at, path.length);
      path.push(at);
      at = next.get(at);
    }
    const from = at === undefined ? undefined : onPath.get(at);
    if (from !== undefined) cycles.push(path.slice(from));
  }
  return cycles;
}

/** Tasks that no order can reach, each with one dependency that is unreachable too: circles are inside. */
function unresolvable(planned: readonly PlannedTask[]): Map<string, string> {
  const waitsFor = new Map(planned.map(task => [task.id, new Set<string>()]));
  const dependants = new Map(planned.map(task => [task.id, [] as string[]]));
  for (const task of planned) {
    for (const id of task.dependencies) {
      const waiting = dependants.get(id);
      if (waiting === undefined) continue;
      waitsFor.get(task.id)?.add(id);
      waiting.push(task.id);
    }
  }
  const free = [...waitsFor.entries()].filter(([, ids]) => ids.size === 0).map(([id]) => id);
  for (let id = free.pop(); id !== undefined; id = free.pop()) {
    waitsFor.delete(id);
    for (const dependant of dependants.get(id) ?? []) {
      const ids = waitsFor.get(dependant);
      if (ids?.delete(id) && ids.size === 0) free.push(dependant);
    }
  }
  const next = new Map<string, string>();
  for (const [id, ids] of waitsFor) for (const first of ids) if (!next.has(id)) next.set(id, first);
  return next;
}
