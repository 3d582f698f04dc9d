import type { Task } from '../../run/plan/plan.js';
import { type Branch, isAtWork } from '../../run/state/cursor.js';

interface Room {
  branches: readonly Branch[];
  atOnce: number;
  /** Resources that a task holds while it is at work, and how many of each there are. Default: none is counted. */
  resources?: { counts: Readonly<Record<string, number>>; of: (task: Task) => readonly string[] };
}

/** Returns tasks that may begin next to those at work, by priority, then in plan order. */
export function tasksToBegin(
  tasks: readonly Task[],
  { branches, atOnce, resources = { counts: {}, of: () => [] } }: Room,
): Task[] {
  // A task that depends on a branch's task waits until the branches are joined: only then does it have the result.
  const taken = new Set(branches.map(({ taskId }) => taskId));
  const statusOf = new Map(tasks.map(({ id, status }) => [id, status]));
  const isMet = (id: string): boolean => {
    const status = statusOf.get(id) ?? 'completed';
    return !taken.has(id) && (status === 'completed' || status === 'skipped');
  };
  const ready = tasks.filter(
    ({ id, status, dependencies }) => status === 'pending' && !taken.has(id) && dependencies.every(isMet),
  );
  const atWork = new Set(branches.filter(isAtWork).map(({ taskId }) => taskId));
  const free = new Map(Object.entries(resources.counts));
  const take = (task: Task) => {
    for (const name of resources.of(task)) free.set(name, (free.get(name) ?? 0) - 1);
  };
  tasks.filter(({ id }) => atWork.has(id)).forEach(take);
  const begun: Task[] = [];
  for (const task of ready.sort((a, b) => a.priority - b.priority)) {
    if (atWork.size + begun.length >= atOnce) break;
    // A task gets all that it needs at once or nothing, so tasks never wait for each other.
    if (resources.of(task).some(name => (free.get(name) ?? 0) < 1)) continue;
    take(task);
    begun.push(task);
  }
  return begun;
}

/** Returns the branches in plan order, in which they are joined; a branch whose task is gone comes last. */
export function inPlanOrder(branches: readonly Branch[], tasks: readonly Task[]): Branch[] {
  const position = ({ taskId }: Branch): number => {
    const index = tasks.findIndex(({ id }) => id === taskId);
    return index < 0 ? tasks.length : index;
  };
  return [...branches].sort((a, b) => position(a) - position(b));
}
