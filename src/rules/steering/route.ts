/** Decides the effect of a message on a run (F16): additions apply at once, changes of work need sure roles or a person. */

import { fill, type WordKey, type Words } from '../../base/words/words.js';
import type {
  Control,
  IntentAction,
  IntentOutput,
  RouteOutput,
  TaskRelation,
} from '../../run/outputs/contracts.js';

/** A relation with at most this confidence, in percent, can't change anything. */
const SURE_ABOVE = 70;

export interface RouteCase {
  /** Null if the understanding role's output was unreadable. */
  intent: Pick<IntentOutput, 'taskRelation' | 'normalizedIntent'> | null;
  /** Null if the router was not asked, or its output was unreadable. */
  proposal: RouteOutput | null;
  /** A role's question to the user instead of its output; null without one. */
  clarification: string | null;
  /** Why a person must confirm, from the roles' envelopes: see `confirmationReasons`. */
  concerns: readonly string[];
  /** The messages, which were read together. */
  items: readonly unknown[];
  /** The goal is answered and no work runs: the message is a follow-up. */
  idle: boolean;
  paused: boolean;
  /** The run's mode has a plan that a message may change: see `hasPlan`. */
  hasPlan: boolean;
  /** The plan is one task, which is at work: its role can make a small change without a new plan. */
  isOnlyTask: boolean;
  words: Words;
}

export interface RouteDecision {
  act:
    | 'continue'
    | 'minor_replan'
    | 'full_replan'
    /** Starts a separate run. */
    | 'new_task'
    /** The message is the next goal of this run; only when idle. */
    | 'next_goal'
    | 'control'
    | 'ask_user';
  /** A person must approve first; if they refuse, see `deniedRoute`. */
  confirm: boolean;
  /** Set only for `control`. */
  control: Control | null;
  /** For `control`: the messages may contain more than the instruction, so the roles get them as a note too. */
  noted: boolean;
  /** Set only for `ask_user`. */
  question: string | null;
  /** The answers that the question proposes; empty for a role's own question. */
  options: readonly string[];
  /** A sentence for the journal and the person. */
  reason: string;
}

/**
 * The routing table. Five choices:
 * - Unsure of a change to the plan: the user is asked for the meaning, not just for approval.
 * - Unsure of `same_task_no_change`: the run goes on, because the roles read the message anyway. If the router reads a
 *   change in it, the user is asked.
 * - Without a plan to change, a message is added, even if it wants a change.
 * - Control instructions are obeyed even if unsure, except `cancel`, which can't be undone.
 * - A control instruction is also a note, unless it is a single message without other content: a needless note harms
 *   less than a lost wish.
 */
export function decideRoute(given: RouteCase): RouteDecision {
  const { intent, proposal, words } = given;
  if (given.clarification !== null) return ask(words.routeAsks, given.clarification);
  if (given.idle) return decideIdle(given);
  if (intent === null) return askMeaning(given, words.routeNotUnderstood);
  if (proposal?.route === 'wait_user_decision')
    return askMeaning(given, proposal.payload.reason || words.routeLeftToUser);
  const { type, confidence } = intent.taskRelation;
  if (!given.hasPlan && CHANGES.includes(type)) return act('continue', words.routeNoPlan);
  const sure = isSure(confidence);
  const unsure = fill(words.routeUnsure, { confidence: confidence ?? words.routeUnknown, type });
  const toConfirm = given.concerns.length > 0 || proposal?.payload.requiresConfirmation === true;
  switch (type) {
    case 'same_task_no_change':
      if (sure || proposal === null || proposal.route === 'continue_execution')
        return act('continue', words.routeContinue);
      return askMeaning(given, unsure);
    case 'same_task_minor_change':
      if (!sure) return askMeaning(given, unsure);
      if (given.isOnlyTask && !toConfirm) return act('continue', words.routeSmall);
      return act('minor_replan', words.routeMinor, toConfirm);
    case 'same_task_major_change':
      if (!sure) return askMeaning(given, unsure);
      return act('full_replan', words.routeMajor, true);
    case 'different_task':
      if (!sure) return askMeaning(given, unsure);
      return act('new_task', words.routeNewTask, true);
    case 'control_instruction':
      return decideControl(given, { sure, toConfirm });
  }
}

/**
 * True if the router's proposal can change the table's result, by more than a question to the person. It can't if there is
 * no plan to change, if the understanding role is sure, or if a control instruction is clear.
 */
export function leavesChoice({
  intent,
  idle,
  hasPlan,
}: Pick<RouteCase, 'intent' | 'idle' | 'hasPlan'>): boolean {
  if (intent === null) return false;
  const { type, confidence } = intent.taskRelation;
  if (type === 'control_instruction')
    return !['pause', 'continue', 'status'].includes(controlOf(intent) ?? '');
  if (idle || (!hasPlan && CHANGES.includes(type))) return false;
  return type === 'same_task_no_change' && !isSure(confidence);
}

/** True for a small change, if the understanding role is sure of it. */
export function isSmallChange({
  taskRelation: { type, confidence },
}: NonNullable<RouteCase['intent']>): boolean {
  return type === 'same_task_minor_change' && isSure(confidence);
}

/** A follow-up becomes the next goal unchanged, even if unsure: no running work can be spoiled. */
function decideIdle(given: RouteCase): RouteDecision {
  const { intent, words } = given;
  if (intent?.taskRelation.type !== 'control_instruction') return act('next_goal', words.routeNextGoal);
  const decision = decideControl(given, { sure: isSure(intent.taskRelation.confidence), toConfirm: false });
  // An idle run has no role that could answer a question sent with the status request.
  if (decision.control === 'status' && decision.noted) return act('next_goal', words.routeNextGoal);
  if (decision.control !== 'continue' || given.paused) return decision;
  return act('next_goal', words.routeNothingToContinue);
}

function decideControl(
  given: RouteCase,
  { sure, toConfirm }: { sure: boolean; toConfirm: boolean },
): RouteDecision {
  const { words } = given;
  const named = given.proposal?.payload.control ?? null;
  const meant = given.intent && controlOf(given.intent);
  const control = named ?? meant;
  if (control === null) return askControl(words, words.routeWhichControl);
  if (named !== null && meant !== null && named !== meant)
    return askControl(words, fill(words.routeDisagree, { meant, named }));
  const confirm = control === 'cancel' && (!sure || toConfirm);
  const reason = words[CONTROL_REASON[control]];
  return { act: 'control', confirm, control, noted: saysMore(given, control), ...NO_QUESTION, reason };
}

/** True if roles should read the messages too; after a cancel they read nothing. */
function saysMore({ items, intent }: RouteCase, control: Control): boolean {
  if (control === 'cancel') return false;
  return items.length > 1 || intent?.normalizedIntent.scope !== 'meta_control';
}

/** The control that an action of the understanding role means; other actions are not controls. */
const CONTROLS: Partial<Record<IntentAction, Control>> = {
  cancel: 'cancel',
  pause: 'pause',
  continue: 'continue',
  query: 'status',
};

function controlOf({ normalizedIntent: { action } }: NonNullable<RouteCase['intent']>): Control | null {
  return (action && CONTROLS[action]) ?? null;
}

const CHANGES: readonly TaskRelation[] = ['same_task_minor_change', 'same_task_major_change'];

function isSure(confidence: number | null): boolean {
  return confidence !== null && confidence > SURE_ABOVE;
}

/** Returns the route after a refusal: the run continues with the message as a note, or takes it as its next goal. */
export function deniedRoute(idle: boolean, why: string): RouteDecision {
  return act(idle ? 'next_goal' : 'continue', why);
}

function act(
  name: Exclude<RouteDecision['act'], 'control' | 'ask_user'>,
  reason: string,
  confirm = false,
): RouteDecision {
  return { act: name, confirm, control: null, noted: false, ...NO_QUESTION, reason };
}

const NO_QUESTION = { question: null, options: [] };

function ask(reason: string, question: string, options: readonly string[] = []): RouteDecision {
  return { act: 'ask_user', confirm: false, control: null, noted: false, question, options, reason };
}

/** A message can change a plan only where there is one. */
function askMeaning({ hasPlan, words }: RouteCase, reason: string): RouteDecision {
  const ofPlan = hasPlan ? [words.meantPart, words.meantAnew] : [];
  return ask(reason, words.askedWhat, [words.meantNote, ...ofPlan, words.meantOther]);
}

function askControl(words: Words, reason: string): RouteDecision {
  const { meantPause, meantResume, meantCancel, meantStatus } = words;
  return ask(reason, words.askedControl, [meantPause, meantResume, meantCancel, meantStatus]);
}

/** Says what each proposed answer means. */
const MEANINGS: readonly [WordKey, TaskRelation, IntentAction?][] = [
  ['meantNote', 'same_task_no_change'],
  ['meantPart', 'same_task_minor_change'],
  ['meantAnew', 'same_task_major_change'],
  ['meantOther', 'different_task'],
  ['meantPause', 'control_instruction', 'pause'],
  ['meantResume', 'control_instruction', 'continue'],
  ['meantCancel', 'control_instruction', 'cancel'],
  ['meantStatus', 'control_instruction', 'query'],
];

/**
 * Returns the meaning of messages for which a person has chosen a proposed answer: what it says, with full confidence.
 * Null for any other answer, which roles must read. `intent`: how a role understood the messages.
 */
export function chosenIntent(
  intent: IntentOutput | null,
  { options, words, text }: { options: readonly string[]; words: Words; text: string },
): IntentOutput | null {
  const [, type, action = null] =
    MEANINGS.find(([word]) => words[word] === text && options.includes(text)) ?? [];
  if (type === undefined) return null;
  const { normalizedIntent, contextDependency } = intent ?? UNREAD;
  const scope = normalizedIntent.scope ?? (action && 'meta_control');
  return {
    normalizedIntent: { ...normalizedIntent, scope, action: action ?? normalizedIntent.action },
    taskRelation: { type, confidence: 100, reasoning: `${words.asked} ${text}` },
    contextDependency,
  };
}

const UNREAD: Pick<IntentOutput, 'normalizedIntent' | 'contextDependency'> = {
  normalizedIntent: { goal: '', action: null, scope: null, urgency: null },
  contextDependency: { needsCurrentTaskContext: null, needsExecutionHistory: null, referencedEntities: [] },
};

const CONTROL_REASON = {
  pause: 'routePause',
  continue: 'routeResume',
  cancel: 'routeCancel',
  status: 'routeStatus',
} as const satisfies Record<Control, WordKey>;
