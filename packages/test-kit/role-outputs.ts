/** Final replies of roles, for scripts: short to write, complete on the wire. The steering roles reply with envelopes. */
import type { Control, IntentAction, Route, TaskRelation } from 'steersman/run';

export interface PlannedTask {
  id: string;
  description: string;
  /** Default: the position in the list, from 1. */
  priority?: number;
  status?: string;
  dependencies?: string[];
  completionCriteria?: string;
  requiredCapabilities?: string[];
  /** Milliseconds. */
  estimatedDuration?: number;
}

/** A planner's reply. A task given as text gets the id `task-n`. */
export function plan(input: {
  summary?: string;
  needsMorePlanning?: boolean;
  todos: (PlannedTask | string)[];
  /** First calls of a plan that has one task. */
  begin?: { tool: string; arguments: Record<string, unknown> }[];
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
    ...(input.begin && { begin: input.begin }),
  });
}

/** An executor's reply. Only the passed fields are sent, besides `summary` and `todos`. */
export function execution(input: {
  summary: string;
  taskCompleted?: boolean | null;
  shouldContinue?: boolean | null;
  nextAction?: string | null;
  todos?: { id: string; description?: string; status?: string; isCurrent?: boolean }[];
}): string {
  return component('executor-response', { todos: [], ...input });
}

/** A placeholder in a scripted verdict for every task of the plan, completed: the scripted model replaces it. */
export const EVERY_TASK = 'every task of the plan';

/**
 * A verifier's reply. `allCompleted` and `userNeedsSatisfied` default to true if there is a summary; without `tasks`, a
 * positive verdict names every task of the plan.
 */
export function verdict(input: {
  summary?: string | null;
  allCompleted?: boolean;
  userNeedsSatisfied?: boolean;
  overallFeedback?: string;
  improvements?: string[] | null;
  tasks?: { id: string; completed: boolean; feedback?: string; evidence?: string[] }[];
  exceptions?: string[];
}): string {
  const good = typeof input.summary === 'string';
  return component('verifier-response', {
    allCompleted: good,
    userNeedsSatisfied: good,
    overallFeedback: good ? 'The results answer the goal.' : 'Something is missing.',
    tasks: good ? EVERY_TASK : [],
    ...input,
  });
}

function component(name: string, fields: object): string {
  return JSON.stringify({ type: 'component', component: name, ...fields });
}

/** The fields of an envelope other than its parameters. Each has a default that raises no concern. */
export interface EnvelopeParts {
  thought?: string;
  expectedOutcome?: string;
  risk?: { level: 'low' | 'medium' | 'high'; description: string; mitigation?: string };
  /** 0 to 100. Default 90. */
  confidence?: number;
  alternativeActions?: string[];
  requiresUserConfirmation?: boolean;
  userMessage?: string;
}

/** An envelope with any action: of a role, a tool call, or `CLARIFICATION_REQUIRED`, `ERROR`, `ESCALATE`. */
export function envelope(action: string, params: object, parts: EnvelopeParts = {}): string {
  const { thought = `A scripted ${action}.`, expectedOutcome = 'The run goes on.', ...rest } = parts;
  const risk = { level: 'low', description: 'None to speak of.' };
  return JSON.stringify({ thought, action, params, expectedOutcome, risk, confidence: 90, ...rest });
}

/** The reply of a role that interprets a message. `sure` is the relation's confidence, 0 to 1. */
export function intent(
  input: {
    relation: TaskRelation;
    /** Default 0.9. */
    sure?: number;
    /** Default `modify`. */
    action?: IntentAction;
  } & EnvelopeParts,
): string {
  const { relation, sure = 0.9, action = 'modify', ...parts } = input;
  const scope = relation === 'control_instruction' ? 'meta_control' : 'partial_task';
  const params = {
    normalizedIntent: { goal: 'What the message asks for.', action, scope, urgency: 'medium' },
    taskRelation: { type: relation, confidence: sure, reasoning: 'By script.' },
    contextDependency: {
      needsCurrentTaskContext: true,
      needsExecutionHistory: false,
      referencedEntities: [],
    },
  };
  return envelope('INTENT_ANALYSIS', params, parts);
}

/** A router's reply. `requiresConfirmation` defaults to false. */
export function route(
  input: { route: Route; reason?: string; requiresConfirmation?: boolean; control?: Control } & EnvelopeParts,
): string {
  const { route: to, reason = 'By script.', requiresConfirmation = false, control, ...parts } = input;
  const payload = { reason, requiresConfirmation, ...(control ? { control } : {}) };
  return envelope('ROUTE_DECISION', { route: to, payload }, parts);
}
