/**
 * JSON schemas of the role outputs, for endpoints that can be held to one: one for each contract in
 * each dialect. Every field is required and may be null: strict endpoints know no optional fields, and null
 * counts as absent.
 */
import { z } from 'zod';
import type { FormedContract, OutputContract } from '../../core/outputs/contracts.js';
import { jsonForm } from '../../core/outputs/contracts.js';
import type { Dialect } from '../../core/outputs/envelope.js';
import {
  CONTROLS,
  HANDLINGS,
  INTENT_ACTIONS,
  INTENT_SCOPES,
  RESOURCES,
  ROUTES,
  TASK_RELATIONS,
  URGENCIES,
} from '../../core/outputs/intent.js';
import { ERROR_TYPES } from '../../core/outputs/special-output.js';
import type { ModelRequestHead } from '../../core/prompts/model-request.js';
import type { JsonSchema } from '../../core/tools/tool.js';

const plannedTask = z.strictObject({
  id: z.string().describe('Unique in the plan; a task kept from an earlier plan keeps its id'),
  description: z.string().describe('What to do, with all that is needed to do it'),
  priority: z.number().describe('1 is the highest'),
  status: z.enum(['pending', 'skipped']).describe('skipped gives up an open task'),
  dependencies: z.array(z.string()).describe('Ids of tasks that must be completed first'),
  completionCriteria: z.string().describe('How anyone can check that the task is done'),
  requiredCapabilities: z.array(z.string()).nullable().describe('Exact names of tools'),
  estimatedDuration: z.number().nullable().describe('Milliseconds that the task should take'),
});

const planFields = {
  summary: z.string(),
  needsMorePlanning: z.boolean(),
  todos: z.array(plannedTask),
};

const executionFields = {
  summary: z.string().describe('The results themselves, not that there are results'),
  taskCompleted: z.boolean().nullable().describe('Whether the current task is done'),
  shouldContinue: z.boolean().nullable(),
  nextAction: z.enum(['continue', 'complete', 'skip', 'retry']).nullable(),
  todos: z
    .array(z.strictObject({ id: z.string(), status: z.enum(['skipped', 'failed', 'blocked']) }))
    .nullable()
    .describe('Only other tasks that turned out needless or impossible'),
};

const verdictFields = {
  allCompleted: z.boolean(),
  userNeedsSatisfied: z.boolean(),
  overallFeedback: z.string(),
  summary: z.string().nullable().describe('The full answer to the user; required on success'),
  improvements: z.array(z.string()).nullable().describe('What to do better; required without success'),
  tasks: z.array(z.strictObject({ id: z.string(), completed: z.boolean(), feedback: z.string() })),
};

const choiceFields = {
  mode: z.string().describe('One of the ways that you were told of'),
  reason: z.string().describe('Why, in a sentence for the person'),
};

const intentFields = {
  normalizedIntent: z.strictObject({
    goal: z.string().describe('What the person wants, as one clear sentence'),
    action: z.enum(INTENT_ACTIONS),
    scope: z.enum(INTENT_SCOPES),
    urgency: z.enum(URGENCIES),
  }),
  taskRelation: z.strictObject({
    type: z.enum(TASK_RELATIONS),
    confidence: z.number().describe('A whole number from 0 to 100'),
    reasoning: z.string(),
  }),
  contextDependency: z.strictObject({
    needsCurrentTaskContext: z.boolean(),
    needsExecutionHistory: z.boolean(),
    referencedEntities: z.array(z.string()),
  }),
};

const routeFields = {
  route: z.enum(ROUTES),
  payload: z.strictObject({
    reason: z.string(),
    requiresConfirmation: z.boolean(),
    control: z.enum(CONTROLS).nullable().describe('Only for control_action'),
  }),
};

const reviewFields = {
  approved: z.boolean(),
  score: z.number().describe('0 to 100'),
  feedback: z.string(),
  requiredFixes: z.array(z.string()).describe('At least one where it is not approved, else empty'),
};

/** First keys differ, as strict endpoints want of alternatives. */
const transition = { to: z.enum(['planning', 'execution', 'verification', 'wrap_up']), reason: z.string() };
const allocation = {
  resource: z.enum(RESOURCES),
  target: z.string().nullable().describe('A task id for rounds, a role for model'),
  amount: z.number().nullable(),
  model: z.string().nullable(),
  reason: z.string(),
};
const handling = { handling: z.enum(HANDLINGS), taskId: z.string().nullable(), reason: z.string() };

const question = z.strictObject({ question: z.string().describe('For the person') });
const trouble = z.strictObject({
  errorType: z.enum(ERROR_TYPES),
  message: z.string(),
  suggestion: z.string(),
});

const SPECIALS = ['CLARIFICATION_REQUIRED', 'ERROR', 'ESCALATE'] as const;

/** A component. Null in `action` and `params`, but for a role that can not go on. */
function component(contract: FormedContract, fields: z.ZodRawShape): JsonSchema {
  const asking = {
    action: z.enum(SPECIALS).nullable().describe('Null, but where the role can not go on'),
    params: z.union([question, trouble]).nullable(),
  };
  const head = { type: z.literal('component'), component: z.literal(jsonForm(contract).component) };
  return toSchema(z.strictObject({ ...head, ...fields, ...asking }));
}

/** An envelope with one of these actions and parameters, or of an error envelope. */
function envelope(actions: readonly string[], ...params: z.ZodRawShape[]): JsonSchema {
  const own = params.map(fields => z.strictObject(fields));
  return toSchema(
    z.strictObject({
      thought: z.string(),
      action: z.enum([...actions, ...SPECIALS]),
      params: z.union([...own, question, trouble]),
      expectedOutcome: z.string(),
      risk: z.strictObject({
        level: z.enum(['low', 'medium', 'high']),
        description: z.string(),
        mitigation: z.string().nullable(),
      }),
      confidence: z.number().describe('A whole number from 0 to 100'),
      alternativeActions: z.array(z.string()).nullable(),
      requiresUserConfirmation: z.boolean().nullable(),
      userMessage: z.string().nullable().describe('For the person'),
    }),
  );
}

const ORCHESTRATIONS = ['EXCEPTION_HANDLE', 'PHASE_TRANSITION', 'RESOURCE_ALLOCATE'] as const;

const SCHEMAS: Record<Dialect, Record<FormedContract, JsonSchema>> = {
  component: {
    plan: component('plan', planFields),
    execution: component('execution', executionFields),
    verdict: component('verdict', verdictFields),
    intent: component('intent', intentFields),
    route: component('route', routeFields),
    review: component('review', reviewFields),
    orchestration: flatOrchestration(),
    choice: component('choice', choiceFields),
  },
  envelope: {
    plan: envelope(['TASK_PLAN'], planFields),
    execution: envelope(['COMPLETE'], executionFields),
    verdict: envelope(['VERIFICATION_RESULT'], verdictFields),
    intent: envelope(['INTENT_ANALYSIS'], intentFields),
    route: envelope(['ROUTE_DECISION'], routeFields),
    review: envelope(['REVIEW_RESULT'], reviewFields),
    orchestration: envelope(ORCHESTRATIONS, handling, transition, allocation),
    choice: envelope(['MODE_CHOICE'], choiceFields),
  },
};

/** Proposals have fields of their own: flat, those of the others are null. */
function flatOrchestration(): JsonSchema {
  const { reason, ...rest } = { ...transition, ...allocation, ...handling };
  const optional = Object.entries(rest).map(([name, field]) => [name, z.nullable(field)] as const);
  return toSchema(
    z.strictObject({
      type: z.literal('component'),
      component: z.literal(jsonForm('orchestration').component),
      action: z.enum(ORCHESTRATIONS),
      reason,
      ...Object.fromEntries(optional),
    }),
  );
}

/** The schema of a contract in a dialect, without `$schema`; null for free text. */
export function outputSchema(contract: OutputContract, dialect: Dialect): JsonSchema | null {
  return contract === 'text' ? null : SCHEMAS[dialect][contract];
}

/**
 * The schema that a request holds its reply to. None where it shares its prefix: endpoints put a schema before all
 * else, so with one for each role none would find the conversation known that another has left.
 */
export function schemaOf({
  prefix,
  output,
  dialect,
}: Pick<ModelRequestHead, 'prefix' | 'output' | 'dialect'>): JsonSchema | null {
  return prefix === 'shared' ? null : outputSchema(output, dialect);
}

const COMMON_FIELDS: readonly string[] = ['type', 'summary', 'reason', 'action', 'params'];

/** Names of the flat fields that tell a contract's object from any other JSON; empty for free text. */
export function outputFields(contract: OutputContract): string[] {
  const properties = outputSchema(contract, 'component')?.properties ?? {};
  return Object.keys(properties).filter(name => !COMMON_FIELDS.includes(name));
}

function toSchema(schema: z.ZodType): JsonSchema {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema);
  return rest;
}
