import type { Task } from '../../run/plan/plan.js';
import { type Branch, isAtWork } from '../../run/state/cursor.js';

/** Returns tasks that may begin next to those at work, by priority, then in plan order. */
export function tasksToBegin(
  tasks: readonly Task[],
  { branches, atOnce }: { branches: readonly Branch[]; atOnce: number },
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
  const room = Math.max(0, atOnce - branches.filter(isAtWork).length);
  return ready.sort((a, b) => a.priority - b.priority).slice(0, room);
}

/** Returns the branches in plan order, in which they are joined; a branch whose task is gone comes last. */
export function inPlanOrder(branches: readonly Branch[], tasks: readonly Task[]): Branch[] {
  const position = ({ taskId }: Branch): number => {
    const index = tasks.findIndex(({ id }) => id === taskId);
    return index < 0 ? tasks.length : index;
  };
  return [...branches].sort((a, b) => position(a) - position(b));
}
