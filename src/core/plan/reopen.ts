/** A failed task that gets another state, and what it blocked: under the limit of open tasks, whoever wants it. */
import { isLacking } from '../agents/capabilities.js';
import { isOpen, type Task } from './plan.js';
import { blockDependants } from './plan-order.js';

export interface Reopened {
  tasks: Task[];
  /** Tasks that are blocked again, behind others. */
  blocked: string[];
}

/** The tasks with this one open again, or skipped, and those free that waited for it alone. */
export function reopenTask(tasks: readonly Task[], id: string, status: 'pending' | 'skipped'): Reopened {
  const reason = status === 'skipped' ? 'orchestrated' : null;
  const freed = tasks.map((task): Task => {
    if (task.id === id) return { ...task, status, reason };
    return task.status === 'blocked' && !isLacking(task)
      ? { ...task, status: 'pending', reason: null }
      : task;
  });
  return blockDependants(freed);
}

/** Why the limit has no room for that, in a sentence; null where it has. */
export function reopenFault(
  tasks: readonly Task[],
  { id, status, maxTasks }: { id: string; status: 'pending' | 'skipped'; maxTasks: number },
): string | null {
  const open = reopenTask(tasks, id, status).tasks.filter(isOpen).length;
  if (open <= maxTasks || open <= tasks.filter(isOpen).length) return null;
  return `The plan would have ${open} open tasks, and the limit tasks is ${maxTasks}.`;
}
