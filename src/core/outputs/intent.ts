/**
 * Outputs of the roles that steer a run (F15): understanding, router, reviewer and
 * orchestrator. Each reader takes the fields of its contract, in whichever dialect they came.
 */

import { booleanOrNull, isRecord, stringOr } from '../text/json.js';
import { confidencePercent } from './envelope.js';
import {
  expected,
  isAbsent,
  judged,
  numberOrNull,
  type Parsed,
  readWord,
  stringsOf,
} from './output-fields.js';

/** `pause` is ours (OU7): with the other six nobody could say that a run should wait. */
export const INTENT_ACTIONS = [
  'create',
  'modify',
  'query',
  'cancel',
  'pause',
  'continue',
  'clarify',
] as const;
export type IntentAction = (typeof INTENT_ACTIONS)[number];

export const INTENT_SCOPES = ['full_task', 'partial_task', 'meta_control'] as const;
export const URGENCIES = ['high', 'medium', 'low'] as const;

export const TASK_RELATIONS = [
  'same_task_no_change',
  'same_task_minor_change',
  'same_task_major_change',
  'different_task',
  'control_instruction',
] as const;
export type TaskRelation = (typeof TASK_RELATIONS)[number];

/** What a user message means. Words that could not be read are null, after the one re-ask. */
export interface IntentOutput {
  normalizedIntent: {
    goal: string;
    action: IntentAction | null;
    scope: (typeof INTENT_SCOPES)[number] | null;
    urgency: (typeof URGENCIES)[number] | null;
  };
  taskRelation: {
    type: TaskRelation;
    /** In percent; a share of 1 is read too. Null where it could not be read. */
    confidence: number | null;
    reasoning: string;
  };
  contextDependency: {
    needsCurrentTaskContext: boolean | null;
    needsExecutionHistory: boolean | null;
    referencedEntities: string[];
  };
}

/** Reads an understanding role's reply. Without a known `taskRelation.type` there is no value. */
export function parseIntent(json: Record<string, unknown>): Parsed<IntentOutput> {
  const errors: string[] = [];
  const intent = readRecord(json, 'normalizedIntent', errors);
  const relation = readRecord(json, 'taskRelation', errors);
  const context = readRecord(json, 'contextDependency', errors);
  const type = readWord(relation, 'taskRelation.type', TASK_RELATIONS, errors);
  const confidence = confidencePercent(relation.confidence, 'share');
  if (confidence === null)
    errors.push(expected('taskRelation.confidence', 'a whole number from 0 to 100', relation.confidence));
  const goal = stringOr(intent.goal, '').trim();
  if (goal === '') errors.push(expected('normalizedIntent.goal', 'a non-empty string', intent.goal));
  const normalizedIntent = {
    goal,
    action: readWord(intent, 'normalizedIntent.action', INTENT_ACTIONS, errors),
    scope: readWord(intent, 'normalizedIntent.scope', INTENT_SCOPES, errors),
    urgency: readWord(intent, 'normalizedIntent.urgency', URGENCIES, errors),
  };
  const contextDependency = {
    needsCurrentTaskContext: readFlag(context, 'contextDependency.needsCurrentTaskContext', errors),
    needsExecutionHistory: readFlag(context, 'contextDependency.needsExecutionHistory', errors),
    referencedEntities: stringsOf(context.referencedEntities),
  };
  if (type === null) return { ok: false, errors, value: null };
  const reasoning = stringOr(relation.reasoning, '').trim();
  return judged(
    { normalizedIntent, taskRelation: { type, confidence, reasoning }, contextDependency },
    errors,
  );
}

/** An object field; where it is none, an error and an empty object. */
function readRecord(json: Record<string, unknown>, field: string, errors: string[]): Record<string, unknown> {
  const value = json[field];
  if (isRecord(value)) return value;
  errors.push(expected(field, 'an object', value));
  return {};
}

function readFlag(json: Record<string, unknown>, field: string, errors: string[]): boolean | null {
  const value = json[field.slice(field.lastIndexOf('.') + 1)];
  const flag = booleanOrNull(value);
  if (flag === null) errors.push(expected(field, 'a boolean', value));
  return flag;
}

export const ROUTES = [
  'continue_execution',
  'minor_replan',
  'full_replan',
  'new_task',
  'control_action',
  'wait_user_decision',
] as const;
export type Route = (typeof ROUTES)[number];

/** What a control instruction wants. */
export const CONTROLS = ['pause', 'continue', 'cancel', 'status'] as const;
export type Control = (typeof CONTROLS)[number];

/** Where a router would send a user message. A proposal: `decideRoute` disposes. */
export interface RouteOutput {
  route: Route;
  payload: {
    reason: string;
    requiresConfirmation: boolean;
    /** Null where the reply names none. */
    control: Control | null;
  };
}

/** Reads a router's reply. A `payload` with gaps is readable: only the route is needed. */
export function parseRoute(json: Record<string, unknown>): Parsed<RouteOutput> {
  const errors: string[] = [];
  const route = readWord(json, 'route', ROUTES, errors);
  const payload = readRecord(json, 'payload', errors);
  const control = isAbsent(payload.control) ? null : readWord(payload, 'payload.control', CONTROLS, errors);
  if (route === null) return { ok: false, errors, value: null };
  const requiresConfirmation = booleanOrNull(payload.requiresConfirmation) ?? false;
  const reason = stringOr(payload.reason, '').trim();
  return judged({ route, payload: { reason, requiresConfirmation, control } }, errors);
}

/** What a reviewer thinks of a plan, a result or an action. `decideReview` disposes. */
export interface ReviewOutput {
  approved: boolean;
  /** 0 to 100; null where it could not be read. Nothing is decided by it. */
  score: number | null;
  feedback: string;
  requiredFixes: string[];
}

/** Reads a reviewer's reply. A rejection must say what to mend: asked for once, else it stands as it is. */
export function parseReview(json: Record<string, unknown>): Parsed<ReviewOutput> {
  const approved = booleanOrNull(json.approved);
  if (approved === null)
    return { ok: false, errors: [expected('approved', 'a boolean', json.approved)], value: null };
  const doubts: string[] = [];
  const number = numberOrNull(json.score);
  const score = number !== null && number >= 0 && number <= 100 ? number : null;
  if (score === null) doubts.push(expected('score', 'a number from 0 to 100', json.score));
  const requiredFixes = stringsOf(json.requiredFixes);
  if (!approved && requiredFixes.length === 0) {
    const wanted = 'an array with at least one fix, since it is not approved,';
    doubts.push(expected('requiredFixes', wanted, json.requiredFixes));
  }
  return judged({ approved, score, feedback: stringOr(json.feedback, '').trim(), requiredFixes }, doubts);
}

export const RESOURCES = ['rounds', 'turns', 'tokens', 'model'] as const;
export const HANDLINGS = ['retry', 'skip', 'replan', 'ask_user', 'stop'] as const;

/** What an orchestrator proposes. `decideOrchestration` disposes. */
export type OrchestrationOutput =
  | { action: 'PHASE_TRANSITION'; to: string; reason: string }
  | {
      action: 'RESOURCE_ALLOCATE';
      /** Executor rounds of a task, turns or tokens of the goal, or another model for a role. */
      resource: (typeof RESOURCES)[number];
      /** Task id for `rounds`, role for `model`, else null. */
      target: string | null;
      /** The limit wanted; null for `model`. */
      amount: number | null;
      /** `endpoint/model`; null but for `model`. */
      model: string | null;
      reason: string;
    }
  | {
      action: 'EXCEPTION_HANDLE';
      handling: (typeof HANDLINGS)[number];
      taskId: string | null;
      reason: string;
    };

const ORCHESTRATIONS = ['PHASE_TRANSITION', 'RESOURCE_ALLOCATE', 'EXCEPTION_HANDLE'] as const;

/** Reads an orchestrator's reply: `action` beside its parameters. Whether it is legal is not judged here. */
export function parseOrchestration(json: Record<string, unknown>): Parsed<OrchestrationOutput> {
  const errors: string[] = [];
  const action = readWord(json, 'action', ORCHESTRATIONS, errors);
  const reason = stringOr(json.reason, '').trim();
  if (reason === '') errors.push(expected('reason', 'a non-empty string', json.reason));
  const value = action === null ? null : readProposal(action, json, reason, errors);
  return value === null ? { ok: false, errors, value } : judged(value, errors);
}

function readProposal(
  action: OrchestrationOutput['action'],
  json: Record<string, unknown>,
  reason: string,
  errors: string[],
): OrchestrationOutput | null {
  switch (action) {
    case 'PHASE_TRANSITION': {
      const to = stringOr(json.to, '').trim().toLowerCase();
      if (to === '') errors.push(expected('to', 'the name of a phase', json.to));
      return to === '' ? null : { action, to, reason };
    }
    case 'RESOURCE_ALLOCATE': {
      const resource = readWord(json, 'resource', RESOURCES, errors);
      const amount = numberOrNull(json.amount);
      const model = stringOr(json.model, '').trim() || null;
      const target = stringOr(json.target, '').trim() || null;
      if (resource === 'model' && model === null) errors.push(expected('model', 'a model id', json.model));
      if (resource !== 'model' && amount === null) errors.push(expected('amount', 'a number', json.amount));
      return resource === null ? null : { action, resource, target, amount, model, reason };
    }
    case 'EXCEPTION_HANDLE': {
      const handling = readWord(json, 'handling', HANDLINGS, errors);
      const taskId = stringOr(json.taskId, '').trim() || null;
      return handling === null ? null : { action, handling, taskId, reason };
    }
  }
}
