/** Final replies of roles in the component dialect (G10), for scripts: short to write, complete on the wire. */

export interface PlannedTask {
  id: string;
  description: string;
  /** Default: the position in the list, from 1. */
  priority?: number;
  status?: string;
  dependencies?: string[];
  completionCriteria?: string;
  requiredCapabilities?: string[];
  estimatedDurationMs?: number;
}

/** A planner's reply. A task given as text gets the id `task-n`. */
export function plan(input: {
  summary?: string;
  needsMorePlanning?: boolean;
  todos: (PlannedTask | string)[];
}): string {
  const todos = input.todos.map((todo, index) => {
    const task = typeof todo === 'string' ? { id: `task-${index + 1}`, description: todo } : todo;
    return {
      priority: index + 1,
      status: 'pending',
      dependencies: [],
      completionCriteria: `Done when "${task.description}" is answered from real results.`,
      ...task,
    };
  });
  return component('planner-response', {
    summary: input.summary ?? `A plan of ${todos.length} tasks.`,
    needsMorePlanning: input.needsMorePlanning ?? false,
    todos,
  });
}

/** An executor's reply. Only what is given is sent, apart from `summary` and `todos`. */
export function execution(input: {
  summary: string;
  taskCompleted?: boolean | null;
  shouldContinue?: boolean | null;
  nextAction?: string | null;
  todos?: { id: string; description?: string; status?: string; isCurrent?: boolean }[];
}): string {
  return component('executor-response', { todos: [], ...input });
}

/** A verifier's reply. `allCompleted` and `userNeedsSatisfied` default to whether a summary is given. */
export function verdict(input: {
  summary?: string | null;
  allCompleted?: boolean;
  userNeedsSatisfied?: boolean;
  overallFeedback?: string;
  improvements?: string[] | null;
  tasks?: { id: string; completed: boolean; feedback?: string }[];
}): string {
  const good = typeof input.summary === 'string';
  return component('verifier-response', {
    allCompleted: good,
    userNeedsSatisfied: good,
    overallFeedback: good ? 'The results answer the goal.' : 'Something is missing.',
    tasks: [],
    ...input,
  });
}

function component(name: string, fields: object): string {
  return JSON.stringify({ type: 'component', component: name, ...fields });
}
