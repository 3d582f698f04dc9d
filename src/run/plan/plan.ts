/** Plan items and their states (G15): one superset of todo, task and step. */
import { jsonBytes } from '../../base/json/json.js';

export const TASK_STATUSES = ['pending', 'executing', 'completed', 'failed', 'skipped', 'blocked'] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

/** A call that is all of a task: its arguments are known when it is planned. */
export interface PlannedCall {
  tool: string;
  arguments: Record<string, unknown>;
}

/** A task as a planner states it. Their list is in plan order. */
export interface PlannedTask {
  id: string;
  description: string;
  /** 1 is the highest (L7). */
  priority: number;
  /** Ids of tasks that must first be completed or skipped. */
  dependencies: string[];
  /** Names of the capabilities that it requires: see `capabilities.ts`. Empty without requirements. */
  requiredCapabilities: string[];
  /** The expected milliseconds; null if not estimated. */
  estimatedDuration: number | null;
  completionCriteria: string | null;
  /** The task runs by this call, without a model; null: its role works on it. */
  call: PlannedCall | null;
}

/** A change of a task: omitted fields stay unchanged, or get their default in a new task. */
export type TaskChange = Pick<PlannedTask, 'id'> & Partial<PlannedTask>;

export function wholeTask(change: TaskChange, old: PlannedTask | undefined, position: number): PlannedTask {
  const left: PlannedTask = old
    ? { ...NEW_TASK, ...old }
    : { ...NEW_TASK, id: change.id, priority: position };
  // Null removes an estimate, a criterion or a call.
  const values = DEFINITION.map(name => [name, change[name] === undefined ? left[name] : change[name]]);
  return Object.fromEntries(values) as PlannedTask;
}

const NEW_TASK: PlannedTask = {
  id: '',
  description: '',
  priority: 0,
  dependencies: [],
  requiredCapabilities: [],
  estimatedDuration: null,
  completionCriteria: null,
  call: null,
};
const DEFINITION = Object.keys(NEW_TASK) as (keyof PlannedTask)[];

export interface Task extends PlannedTask {
  status: TaskStatus;
  /** Executor rounds used. */
  rounds: number;
  /** Rounds allowed for this task instead of the limit; null for the limit. */
  maxRounds: number | null;
  /** Retries on the orchestrator's proposal. */
  retries: number;
  /** The executor's report; null before it. */
  result: string | null;
  /** The reason for its status: `max_rounds`, `gave_up`, `dependency_failed`, `echoed`, `rejected` and so on. */
  reason: string | null;
  /** The goal's working time when the task began, milliseconds, if it has an estimate; else null. */
  begunMs: number | null;
  /** The task takes, or took, longer than its estimate. */
  overdue?: true;
  /** The planning cycle of its plan, from 1: the last that added, revived or continued it. */
  cycle: number;
  /** A person added or changed it: it stays in the plan, with their words, until it is done or a person removes it. */
  byPerson?: true;
  /** Old values of changed fields, until the plan is released; null for a new task. A rejected plan is undone by them. */
  before?: Partial<Task> | null;
}

export interface EchoedTask {
  id: string;
  status: TaskStatus;
}

export function reportBytes(tasks: readonly Task[]): number {
  return tasks.reduce((bytes, task) => bytes + jsonBytes(task.result ?? ''), 0);
}

/** The reason of a completed task whose result a person should have confirmed and did not. */
export const UNCONFIRMED = 'unconfirmed';
/** The reason of a task that a plan gave up, or that was dropped with its plan. */
export const REPLANNED = 'replanned';
/** The reason of a task that a person removed: no role's plan brings it back. */
export const REMOVED = 'removed by a person';

/**
 * Returns the plan that counts at the end: completed tasks, open tasks and a person's, and those that ended since the
 * latest plan with a task. Tasks that ended under an earlier plan and were not taken up are replaced by later ones.
 */
export function planInForce(tasks: readonly Task[]): Task[] {
  const left = tasks.filter(task => task.reason !== REPLANNED && task.reason !== REMOVED);
  const latest = Math.max(...left.map(task => task.cycle));
  return left.filter(
    task => task.status === 'completed' || isOpen(task) || task.byPerson || task.cycle === latest,
  );
}

/** True if a task is not done. A skipped task is not needed, unless a person wanted it. */
export function isUndone({ status, byPerson }: Task): boolean {
  return status === 'skipped' ? byPerson === true : status !== 'completed';
}

/** Moves the open tasks of earlier plans into this one. A plan without tasks replaces nothing. */
export function adoptOpenTasks(tasks: readonly Task[], cycle: number): Task[] {
  if (!tasks.some(task => task.cycle === cycle)) return [...tasks];
  return tasks.map(task => (isOpen(task) && task.cycle !== cycle ? { ...task, cycle } : task));
}

export function released({ before: _, ...task }: Task): Task {
  return task;
}

/** Restores the tasks before an unreleased plan; tasks that ended or that a person set since are unaffected. */
export function withoutUnreleased(tasks: readonly Task[]): Task[] {
  const gone = tasks.flatMap(({ id, before }) => (before === null ? [id] : []));
  return tasks
    .filter(({ before }) => before !== null)
    .map(task => ({ ...released(task), ...task.before }))
    .map(task => ({ ...task, dependencies: task.dependencies.filter(id => !gone.includes(id)) }));
}

export function isOpen(task: Task): boolean {
  return task.status === 'pending' || task.status === 'executing';
}

/** Gives one task a status. A completed task stays completed. */
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

/** The reason of a task that the report on another one gave up. */
export const ECHOED = 'echoed';

/** Applies an executor's echoed list to tasks that have not begun. */
export function applyEcho(tasks: readonly Task[], echoed: readonly EchoedTask[], currentId: string): Task[] {
  // It completes no task: a task is done when it ran and reported itself. It begins no task: only code does. The
  // current task and tasks that a person set stay unchanged.
  const statusById = new Map(echoed.map(echo => [echo.id, echo.status]));
  return tasks.map(task => {
    const status = statusById.get(task.id);
    if (task.id === currentId || task.status !== 'pending' || task.byPerson) return task;
    if (status !== 'failed' && status !== 'skipped' && status !== 'blocked') return task;
    return { ...task, status, reason: ECHOED };
  });
}

/** Fails completed tasks that a verification rejects, so that a later plan revives them: the only exit from `completed`. */
export function rejectTasks(tasks: readonly Task[], ids: readonly string[]): Task[] {
  return tasks.map(task =>
    ids.includes(task.id) && task.status === 'completed'
      ? { ...task, status: 'failed', reason: 'rejected' }
      : task,
  );
}

/**
 * `skip`: dependent tasks are blocked, the others go on. `abort`: the goal is summed up as it is. `replan`: the planner
 * mends the open part. `ask`: a person chooses one of these, or if no person can be asked, `skip`.
 */
export const STEP_FAILURE_POLICIES = ['skip', 'abort', 'replan', 'ask'] as const;

export type StepFailurePolicy = (typeof STEP_FAILURE_POLICIES)[number];

export type StepDecision = Exclude<StepFailurePolicy, 'ask'>;

/** Returns circular dependencies, each as the ids along it: at least one if any exists. Unknown ids do not count. */
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

/** Returns tasks that no order can reach, each with one dependency that is unreachable too: the circles are among them. */
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
