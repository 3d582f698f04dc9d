/**
 * The outputs of roles, one record a contract. Its fields define the output's type, its reader, its form in re-asks,
 * and the JSON schemas for endpoints (`fields.ts`). Rules beyond single fields are in `rules.ts`.
 */

import { OPINION_BYTES, WHOLE_REPLY_BYTES } from '../../base/sizes/bounds.js';
import { TASK_STATUSES, type TaskChange } from '../plan/plan.js';
import type { Dialect } from './envelope.js';
import {
  type Fields,
  flag,
  id,
  list,
  number,
  object,
  type ReadAll,
  record,
  SCALES,
  text,
  texts,
  word,
} from './fields.js';
import { ROLE_COMPONENTS } from './role-form.js';

const SOFT = { soft: true } as const;

/** `planned-tasks.ts` reads tasks, both a planner's and a person's. */
const plan = {
  summary: text(),
  needsMorePlanning: flag({}, false),
  todos: list({
    id: id({ about: 'unique in the plan; a task kept from an earlier plan keeps its id' }),
    description: text({ about: 'what to do, with all that is needed to do it' }),
    priority: number({ about: '1 is the highest' }),
    status: word(['pending', 'skipped'], { about: 'skipped gives up an open task' }),
    dependencies: texts({ about: 'ids of tasks that must be completed first' }),
    completionCriteria: text({ about: 'how anyone can check that the task is done' }),
    requiredCapabilities: texts({ optional: true, about: 'exact names of tools' }),
    estimatedDuration: number({ optional: true, about: 'milliseconds that the task should take' }),
    tool: text({ optional: true, about: 'of a task that is one call, whose arguments are known' }),
    parameters: object({ optional: true }),
  }),
  checks: texts({ optional: true, about: 'commands that prove the goal' }),
  begin: list(
    { tool: text({ filled: true }), arguments: object() },
    { optional: true, lax: true, about: 'first calls of a plan of one task' },
  ),
};

export interface PlanOutput extends Omit<ReadAll<typeof plan>, 'todos'> {
  /** Tasks in plan order: as written, or by `executionOrder` if present. */
  tasks: TaskChange[];
  /** Ids of open tasks that the plan gives up. */
  dropped: string[];
}

export type FirstCall = PlanOutput['begin'][number];

const execution = {
  summary: text({ about: 'the results themselves, not that there are results' }),
  taskCompleted: flag({ optional: true, about: 'whether the current task is done' }),
  shouldContinue: flag({ optional: true }),
  nextAction: word(['continue', 'complete', 'skip', 'retry'], { optional: true }),
  todos: list(
    { id: id(), status: word(['skipped', 'failed', 'blocked'], {}, TASK_STATUSES) },
    { optional: true, lax: true, about: 'only other tasks that turned out needless or impossible' },
  ),
};

export type ExecutionOutput = ReadAll<typeof execution>;

const verdict = {
  allCompleted: flag(),
  userNeedsSatisfied: flag(),
  overallFeedback: text(),
  summary: text({ optional: true, about: 'the full answer to the user; required on success' }),
  improvements: texts({ optional: true, about: 'what to do better; required without success' }),
  tasks: list({
    id: id(),
    completed: flag(),
    feedback: text(),
    evidence: texts({ optional: true, lax: true, about: 'ids of the evidence that it rests on, such as e1' }),
  }),
  exceptions: texts({
    optional: true,
    lax: true,
    about: 'parts of the goal that are impossible here, each with why; all else is done',
  }),
};

export type VerdictOutput = ReadAll<typeof verdict>;

/** `pause` is our addition (OU7): the other six can't express that a run should wait. */
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

export const TASK_RELATIONS = [
  'same_task_no_change',
  'same_task_minor_change',
  'same_task_major_change',
  'different_task',
  'control_instruction',
] as const;
export type TaskRelation = (typeof TASK_RELATIONS)[number];

/** `meta_control` accompanies control instructions only. */
export const INTENT_SCOPES = ['full_task', 'partial_task', 'meta_control'] as const;
export type IntentScope = (typeof INTENT_SCOPES)[number];

const intent = {
  normalizedIntent: record({
    goal: text({ filled: true, soft: true, about: 'what the person wants, as one clear sentence' }),
    action: word(INTENT_ACTIONS, SOFT),
    scope: word(INTENT_SCOPES, SOFT),
    urgency: word(['high', 'medium', 'low'], SOFT),
  }),
  taskRelation: record({
    type: word(TASK_RELATIONS),
    confidence: number({ soft: true, about: SCALES.share.wanted }, SCALES.share),
    reasoning: text(),
  }),
  contextDependency: record({
    needsCurrentTaskContext: flag(SOFT),
    needsExecutionHistory: flag(SOFT),
    referencedEntities: texts({ lax: true, about: 'ids of tasks that the message is about' }),
  }),
};

/** The meaning of a user message. Fields that can't be read are null after the one re-ask. */
export type IntentOutput = ReadAll<typeof intent>;

export const ROUTES = [
  'continue_execution',
  'minor_replan',
  'full_replan',
  'new_task',
  'control_action',
  'wait_user_decision',
] as const;
export type Route = (typeof ROUTES)[number];

/** The act that a control instruction wants. */
export const CONTROLS = ['pause', 'continue', 'cancel', 'status'] as const;
export type Control = (typeof CONTROLS)[number];

const route = {
  route: word(ROUTES),
  payload: record({
    reason: text(),
    requiresConfirmation: flag({ lax: true }, false),
    control: word(CONTROLS, { optional: true, soft: true, about: 'only for control_action' }),
  }),
};

/** A router's proposal for a user message. `decideRoute` decides. */
export type RouteOutput = ReadAll<typeof route>;

const review = {
  approved: flag(),
  score: number({ soft: true, about: '0 to 100' }, SCALES.points),
  feedback: text(),
  requiredFixes: texts({ lax: true, about: 'at least one where it is not approved, else empty' }),
};

/** A reviewer's opinion of a plan, a result or an action. `decideReview` decides, and never by the score. */
export type ReviewOutput = ReadAll<typeof review>;

export const RESOURCES = ['rounds', 'turns', 'tokens', 'model'] as const;
export const HANDLINGS = ['retry', 'skip', 'replan', 'ask_user', 'stop'] as const;

const reason = text({ filled: true, soft: true });
/**
 * Fields by action. Each action begins with another field, because strict endpoints require alternatives to differ so.
 */
const orchestration = {
  EXCEPTION_HANDLE: { handling: word(HANDLINGS), taskId: text({ optional: true }), reason },
  PHASE_TRANSITION: { to: word(['planning', 'verification', 'wrap_up'], {}, ['execution']), reason },
  RESOURCE_ALLOCATE: {
    /** Executor rounds of a task, the goal's turns or tokens, or another model for a role. */
    resource: word(RESOURCES),
    target: text({ optional: true, about: 'a task id for rounds, a role for model' }),
    /** The limit wanted; null for `model`. */
    amount: number({ optional: true, lax: true }),
    /** `endpoint/model`; null for other resources. */
    model: text({ optional: true }),
    reason,
  },
};

type Proposals = typeof orchestration;

/** An orchestrator's proposal. `decideOrchestration` decides. */
export type OrchestrationOutput = {
  [A in keyof Proposals]: { action: A } & ReadAll<Proposals[A]>;
}[keyof Proposals];

/** Built-in modes that a role may choose in the mode `auto`: all except `auto`. */
export const CHOICES = ['direct', 'react', 'lead', 'plan', 'team'] as const;

const choice = {
  mode: text({ about: 'one of the ways that you were told of' }),
  reason: text({ about: 'why, in a sentence for the person' }),
};

/** The type that each output contract is read into. */
export interface OutputOf {
  plan: PlanOutput;
  execution: ExecutionOutput;
  verdict: VerdictOutput;
  intent: IntentOutput;
  route: RouteOutput;
  review: ReviewOutput;
  orchestration: OrchestrationOutput;
  choice: ReadAll<typeof choice>;
  text: string;
}

interface Contract {
  /** The role's activity in such a reply. */
  does: string;
  /**
   * Tokens of one reply, unless the profile sets them: far more than needed, reasoning included, but an end for a model
   * that rambles. Work and texts may be long, decisions are short.
   */
  outputTokens: number;
  /** The limit for reading a reply; stored reports, answers and plans have their own bounds. */
  maxBytes: number;
  /** The default dialect: `component`, the flat form, for the team; `envelope` for the steering roles. */
  dialect: Dialect;
  /** The value of `component` in the flat form; null for free text. */
  component: string | null;
  /** The fields by the envelope's `action`: one action, unless the role chooses among several. */
  actions: Readonly<Record<string, Fields>>;
  /** The field that identifies the contract if a reply does not name it. */
  mark: string;
}

const WORK = { outputTokens: 16_384, maxBytes: WHOLE_REPLY_BYTES, dialect: 'component' } as const;
const OPINION = { outputTokens: 8_192, maxBytes: OPINION_BYTES, dialect: 'envelope' } as const;

export const CONTRACTS = {
  plan: {
    ...WORK,
    maxBytes: 200_000,
    does: 'planning',
    component: ROLE_COMPONENTS.plan,
    actions: { TASK_PLAN: plan },
    mark: 'needsMorePlanning',
  },
  execution: {
    ...WORK,
    does: 'executing',
    component: ROLE_COMPONENTS.execution,
    actions: { COMPLETE: execution },
    mark: 'taskCompleted',
  },
  verdict: {
    ...WORK,
    does: 'verifying',
    component: ROLE_COMPONENTS.verdict,
    actions: { VERIFICATION_RESULT: verdict },
    mark: 'allCompleted',
  },
  intent: {
    ...OPINION,
    does: 'understanding',
    component: ROLE_COMPONENTS.intent,
    actions: { INTENT_ANALYSIS: intent },
    mark: 'normalizedIntent',
  },
  route: {
    ...OPINION,
    does: 'routing',
    component: ROLE_COMPONENTS.route,
    actions: { ROUTE_DECISION: route },
    mark: 'route',
  },
  review: {
    ...OPINION,
    does: 'reviewing',
    component: ROLE_COMPONENTS.review,
    actions: { REVIEW_RESULT: review },
    mark: 'approved',
  },
  orchestration: {
    ...OPINION,
    does: 'orchestrating',
    component: ROLE_COMPONENTS.orchestration,
    actions: orchestration,
    mark: 'handling',
  },
  choice: {
    ...OPINION,
    dialect: 'component',
    does: 'choosing',
    component: ROLE_COMPONENTS.choice,
    actions: { MODE_CHOICE: choice },
    mark: 'mode',
  },
  text: { ...WORK, does: 'answering', component: null, actions: {}, mark: '' },
} as const satisfies Record<string, Contract>;

/**
 * The contract of a role's final reply: a named output contract, or free text. The understanding, router, reviewer and
 * orchestrator roles have `intent`, `route`, `review` and `orchestration`.
 */
export type OutputContract = keyof typeof CONTRACTS;
/** The contracts whose replies are JSON. */
export type FormedContract = Exclude<OutputContract, 'text'>;

export const OUTPUT_CONTRACTS = Object.keys(CONTRACTS) as OutputContract[];
