/** The order of a plan's tasks, and their dependencies. */
import type { PlannedTask, Task } from '../../run/plan/plan.js';
import { planCycles } from '../../run/plan/plan.js';

/** Returns the task to work on (C20): the executing one, else the first by priority whose dependencies are met. */
export function nextTask(tasks: readonly Task[]): Task | null {
  // Merged plans may have circular dependencies. A circle is cut at its first task, so that a run never stalls. Call
  // `blockDependants` first.
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

/**
 * Blocks all pending tasks after a failed or blocked one. A skipped task blocks no other: skipping means that it is not
 * needed.
 */
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
