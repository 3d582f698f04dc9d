/** In which order the tasks of a plan run, and what waits for what. */
import type { PlannedTask, Task } from './plan.js';

/** The task to work on (C20): the executing one, else the first by priority of those whose dependencies are met. */
export function nextTask(tasks: readonly Task[]): Task | null {
  // A circle of merged plans is cut at its first task, so that a run never stands still. Call `blockDependants`
  // first.
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

/** Blocks all pending tasks behind a failed or blocked one. A skipped one blocks none: skipping says it is not needed. */
export function blockDependants(tasks: readonly Task[]): { tasks: Task[]; blocked: string[] } {
  const stuck = new Set(
    tasks.filter(task => task.status === 'failed' || task.status === 'blocked').map(task => task.id),
  );
  const waits = ({ id, status, dependencies }: Task) =>
    status === 'pending' && !stuck.has(id) && dependencies.some(needed => stuck.has(needed));
  const blocked: string[] = [];
  for (let next = tasks.find(waits); next !== undefined; next = tasks.find(waits)) {
    stuck.add(next.id);
    blocked.push(next.id);
  }
  const block = (task: Task): Task => ({ ...task, status: 'blocked', reason: 'dependency_failed' });
  return { tasks: tasks.map(task => (blocked.includes(task.id) ? block(task) : task)), blocked };
}

/** Circles of dependencies, each as the ids along it: at least one where any exists. Unknown ids do not count. */
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
