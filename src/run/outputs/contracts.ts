/**
 * What the replies of roles can be, one record a contract. Its fields give the type of the output, its reader, its
 * form in re-asks and the JSON schemas of endpoints (`fields.ts`). What fields alone do not say is in `rules.ts`.
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

const SOFT = { soft: true } as const;

/** Tasks are read by `planned-tasks.ts`, as those that a person gives. */
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
  }),
  checks: texts({ optional: true, about: 'commands that prove the goal' }),
  begin: list(
    { tool: text({ filled: true }), arguments: object() },
    { optional: true, lax: true, about: 'first calls of a plan of one task' },
  ),
};

export interface PlanOutput extends Omit<ReadAll<typeof plan>, 'todos'> {
  /** In plan order: as written, or by `executionOrder` where given. */
  tasks: TaskChange[];
  /** Ids of open tasks that it gives up. */
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

export const TASK_RELATIONS = [
  'same_task_no_change',
  'same_task_minor_change',
  'same_task_major_change',
  'different_task',
  'control_instruction',
] as const;
export type TaskRelation = (typeof TASK_RELATIONS)[number];

/** `meta_control`: of a control instruction, and of nothing beside it. */
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

/** What a user message means. What could not be read is null, after the one re-ask. */
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

/** What a control instruction wants. */
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

/** Where a router would send a user message. It proposes; `decideRoute` decides. */
export type RouteOutput = ReadAll<typeof route>;

const review = {
  approved: flag(),
  score: number({ soft: true, about: '0 to 100' }, SCALES.points),
  feedback: text(),
  requiredFixes: texts({ lax: true, about: 'at least one where it is not approved, else empty' }),
};

/** What a reviewer thinks of a plan, a result or an action. `decideReview` decides, and never by the score. */
export type ReviewOutput = ReadAll<typeof review>;

export const RESOURCES = ['rounds', 'turns', 'tokens', 'model'] as const;
export const HANDLINGS = ['retry', 'skip', 'replan', 'ask_user', 'stop'] as const;

const reason = text({ filled: true, soft: true });
/** By action. First fields differ, as strict endpoints want of alternatives. */
const orchestration = {
  EXCEPTION_HANDLE: { handling: word(HANDLINGS), taskId: text({ optional: true }), reason },
  PHASE_TRANSITION: { to: word(['planning', 'execution', 'verification', 'wrap_up']), reason },
  RESOURCE_ALLOCATE: {
    /** Executor rounds of a task, turns or tokens of the goal, or another model for a role. */
    resource: word(RESOURCES),
    target: text({ optional: true, about: 'a task id for rounds, a role for model' }),
    /** The limit wanted; null for `model`. */
    amount: number({ optional: true, lax: true }),
    /** `endpoint/model`; null but for `model`. */
    model: text({ optional: true }),
    reason,
  },
};

type Proposals = typeof orchestration;

/** What an orchestrator proposes. `decideOrchestration` decides. */
export type OrchestrationOutput = {
  [A in keyof Proposals]: { action: A } & ReadAll<Proposals[A]>;
}[keyof Proposals];

/** Built-in modes that a role may choose in the mode `auto`: all others. */
export const CHOICES = ['direct', 'react', 'lead', 'plan', 'team'] as const;

const choice = {
  mode: text({ about: 'one of the ways that you were told of' }),
  reason: text({ about: 'why, in a sentence for the person' }),
};

/** What each output contract is read into. */
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
  /** What a role does with such a reply. */
  does: string;
  /**
   * Tokens of one reply where a profile says nothing: far more than a role needs, reasoning included, and an
   * end to a model that rambles. Work and texts may be long, decisions are short.
   */
  outputTokens: number;
  /** What is read from a reply: reports, answers and plans have bounds of their own where they are kept. */
  maxBytes: number;
  /** Of a role that names none: `component`, the flat form, for the team; `envelope` for the roles that steer. */
  dialect: Dialect;
  /** What `component` says in the flat form; null for free text. */
  component: string | null;
  /** The fields by what `action` says in an envelope: one, but where a role chooses among several. */
  actions: Readonly<Record<string, Fields>>;
  /** The field by which the contract is told from the others where nothing names it. */
  mark: string;
}

const WORK = { outputTokens: 16_384, maxBytes: WHOLE_REPLY_BYTES, dialect: 'component' } as const;
const OPINION = { outputTokens: 8_192, maxBytes: OPINION_BYTES, dialect: 'envelope' } as const;

export const CONTRACTS = {
  plan: {
    ...WORK,
    maxBytes: 200_000,
    does: 'planning',
    component: 'planner-response',
    actions: { TASK_PLAN: plan },
    mark: 'needsMorePlanning',
  },
  execution: {
    ...WORK,
    does: 'executing',
    component: 'executor-response',
    actions: { COMPLETE: execution },
    mark: 'taskCompleted',
  },
  verdict: {
    ...WORK,
    does: 'verifying',
    component: 'verifier-response',
    actions: { VERIFICATION_RESULT: verdict },
    mark: 'allCompleted',
  },
  intent: {
    ...OPINION,
    does: 'understanding',
    component: 'understanding-response',
    actions: { INTENT_ANALYSIS: intent },
    mark: 'normalizedIntent',
  },
  route: {
    ...OPINION,
    does: 'routing',
    component: 'router-response',
    actions: { ROUTE_DECISION: route },
    mark: 'route',
  },
  review: {
    ...OPINION,
    does: 'reviewing',
    component: 'reviewer-response',
    actions: { REVIEW_RESULT: review },
    mark: 'approved',
  },
  orchestration: {
    ...OPINION,
    does: 'orchestrating',
    component: 'orchestrator-response',
    actions: orchestration,
    mark: 'handling',
  },
  choice: {
    ...OPINION,
    dialect: 'component',
    does: 'choosing',
    component: 'selector-response',
    actions: { MODE_CHOICE: choice },
    mark: 'mode',
  },
  text: { ...WORK, does: 'answering', component: null, actions: {}, mark: '' },
} as const satisfies Record<string, Contract>;

/**
 * What a role's final reply must be: a named output contract, or free text. `intent`, `route`, `review` and
 * `orchestration` are those of the understanding, router, reviewer and orchestrator roles.
 */
export type OutputContract = keyof typeof CONTRACTS;
/** Those whose replies are JSON. */
export type FormedContract = Exclude<OutputContract, 'text'>;

export const OUTPUT_CONTRACTS = Object.keys(CONTRACTS) as OutputContract[];
