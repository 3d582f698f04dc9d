import type { Task } from '../../run/plan/plan.js';
import { type Branch, isAtWork } from '../../run/state/cursor.js';

/** Tasks that may begin beside those at work, by priority, ties in plan order. */
export function tasksToBegin(
  tasks: readonly Task[],
  { branches, atOnce }: { branches: readonly Branch[]; atOnce: number },
): Task[] {
  // One that needs a task of the branches waits until these are joined: only then has it what came of it.
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

/** The branches in plan order, in which they are joined; one whose task is gone from the plan comes last. */
export function inPlanOrder(branches: readonly Branch[], tasks: readonly Task[]): Branch[] {
  const position = ({ taskId }: Branch): number => {
    const index = tasks.findIndex(({ id }) => id === taskId);
    return index < 0 ? tasks.length : index;
  };
  return [...branches].sort((a, b) => position(a) - position(b));
}
