/**
 * JSON schemas of the role outputs (G10), for endpoints that can be held to one. Every field is required
 * and may be null: strict endpoints know no optional fields, and null counts as absent.
 */
import { z } from 'zod';
import type { OutputContract } from '../core/role.js';
import type { JsonSchema } from '../core/tool.js';

const plannedTask = z.strictObject({
  id: z.string().describe('Unique in the plan; a task kept from an earlier plan keeps its id'),
  description: z.string().describe('What to do, with all that is needed to do it'),
  priority: z.number().describe('1 is the highest'),
  status: z.enum(['pending', 'executing', 'completed', 'failed', 'skipped', 'blocked']),
  dependencies: z.array(z.string()).describe('Ids of tasks that must be completed first'),
  completionCriteria: z.string().describe('How anyone can check that the task is done'),
  requiredCapabilities: z.array(z.string()).nullable(),
  estimatedDurationMs: z.number().nullable(),
});

const plan = z.strictObject({
  type: z.literal('component'),
  component: z.literal('planner-response'),
  summary: z.string(),
  needsMorePlanning: z.boolean(),
  todos: z.array(plannedTask),
});

const execution = z.strictObject({
  type: z.literal('component'),
  component: z.literal('executor-response'),
  summary: z.string().describe('The results themselves, not that there are results'),
  taskCompleted: z.boolean().nullable().describe('Whether the current task is done'),
  shouldContinue: z.boolean().nullable(),
  nextAction: z.enum(['continue', 'complete', 'skip', 'retry']).nullable(),
  todos: z.array(
    z.strictObject({
      id: z.string(),
      description: z.string(),
      priority: z.number().nullable(),
      status: z.enum(['pending', 'executing', 'completed', 'failed', 'skipped', 'blocked']),
      isCurrent: z.boolean().nullable(),
    }),
  ),
});

const verdict = z.strictObject({
  type: z.literal('component'),
  component: z.literal('verifier-response'),
  allCompleted: z.boolean(),
  userNeedsSatisfied: z.boolean(),
  overallFeedback: z.string(),
  summary: z.string().nullable().describe('The full answer to the user; required on success'),
  improvements: z.array(z.string()).nullable().describe('What to do better; required without success'),
  tasks: z.array(z.strictObject({ id: z.string(), completed: z.boolean(), feedback: z.string() })),
});

const SCHEMAS: Partial<Record<OutputContract, JsonSchema>> = {
  plan: toSchema(plan),
  execution: toSchema(execution),
  verdict: toSchema(verdict),
};

/** The schema of a contract, without `$schema`; null for free text, and for contracts that have none here. */
export function outputSchema(contract: OutputContract): JsonSchema | null {
  return SCHEMAS[contract] ?? null;
}

/** Names of the fields that tell a contract's object from any other JSON; empty where there is no schema. */
export function outputFields(contract: OutputContract): string[] {
  const properties = SCHEMAS[contract]?.properties ?? {};
  return Object.keys(properties).filter(name => name !== 'type' && name !== 'summary');
}

function toSchema(schema: z.ZodType): JsonSchema {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema);
  return rest;
}
