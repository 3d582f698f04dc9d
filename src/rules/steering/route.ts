/** Where a message takes a run (F16): what adds is done at once, what changes work when roles or a person are sure. */

import { fill, type WordKey, type Words } from '../../base/words/words.js';
import type {
  Control,
  IntentAction,
  IntentOutput,
  RouteOutput,
  TaskRelation,
} from '../../run/outputs/contracts.js';

/** A relation at or below this, in percent, is not sure enough to change anything. */
const SURE_ABOVE = 70;

export interface RouteCase {
  /** Null where the understanding role gave nothing that can be read. */
  intent: Pick<IntentOutput, 'taskRelation' | 'normalizedIntent'> | null;
  /** Null where the router was not asked, or gave nothing that can be read. */
  proposal: RouteOutput | null;
  /** A role's question to the user in place of its output; null for none. */
  clarification: string | null;
  /** Why a person must confirm, by the roles' envelopes: see `confirmationReasons`. */
  concerns: readonly string[];
  /** The messages, which were read together. */
  items: readonly unknown[];
  /** The goal is answered and nothing runs: the message is a follow-up. */
  idle: boolean;
  paused: boolean;
  /** The run's mode has a plan that a message may change: see `hasPlan`. */
  hasPlan: boolean;
  words: Words;
}

export interface RouteDecision {
  act:
    | 'continue'
    | 'minor_replan'
    | 'full_replan'
    /** Starts a run of its own. */
    | 'new_task'
    /** The message is the next goal of this run: only when idle. */
    | 'next_goal'
    | 'control'
    | 'ask_user';
  /** A person must approve first; where they do not, see `deniedRoute`. */
  confirm: boolean;
  /** Set for `control` only. */
  control: Control | null;
  /** Of `control`: the messages may say more than the instruction, so the roles get them as a note too. */
  noted: boolean;
  /** Set for `ask_user` only. */
  question: string | null;
  /** One sentence for the journal and the person. */
  reason: string;
}

/**
 * The table. Five choices:
 * - Unsure of anything that would change the plan: the user is asked what was meant, not just to approve.
 * - Unsure of `same_task_no_change`: goes on, for the roles read the message anyway and nothing is lost by
 *   it, unless the router reads a change in it: then the user is asked.
 * - Where there is no plan to change, a message adds, whatever it wants changed.
 * - Control instructions are obeyed unsure or not, except `cancel`, which can not be taken back.
 * - A control instruction is also a note, unless it is one message that says nothing else: a needless note harms
 *   less than a lost wish.
 */
export function decideRoute(given: RouteCase): RouteDecision {
  const { intent, proposal, words } = given;
  if (given.clarification !== null) return ask(words.routeAsks, given.clarification);
  if (given.idle) return decideIdle(given);
  const unclear = given.hasPlan ? words.askedWhat : words.askedWhatNoPlan;
  if (intent === null) return ask(words.routeNotUnderstood, unclear);
  if (proposal?.route === 'wait_user_decision') {
    return ask(proposal.payload.reason || words.routeLeftToUser, unclear);
  }
  const { type, confidence } = intent.taskRelation;
  if (!given.hasPlan && CHANGES.includes(type)) return act('continue', words.routeNoPlan);
  const sure = isSure(confidence);
  const unsure = fill(words.routeUnsure, { confidence: confidence ?? words.routeUnknown, type });
  const toConfirm = given.concerns.length > 0 || proposal?.payload.requiresConfirmation === true;
  switch (type) {
    case 'same_task_no_change':
      if (sure || proposal === null || proposal.route === 'continue_execution')
        return act('continue', words.routeContinue);
      return ask(unsure, unclear);
    case 'same_task_minor_change':
      if (!sure) return ask(unsure, unclear);
      return act('minor_replan', words.routeMinor, toConfirm);
    case 'same_task_major_change':
      if (!sure) return ask(unsure, unclear);
      return act('full_replan', words.routeMajor, true);
    case 'different_task':
      if (!sure) return ask(unsure, unclear);
      return act('new_task', words.routeNewTask, true);
    case 'control_instruction':
      return decideControl(given, { sure, toConfirm });
  }
}

/**
 * Whether the router's proposal can change what the table says of what was understood. It can't where a person
 * confirms the route anyway, where there is no plan to change, and where a control instruction is clear.
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
  return isSure(confidence) ? type === 'same_task_minor_change' : type === 'same_task_no_change';
}

/** A follow-up is the next goal as it was said, sure or not: nothing runs that it could spoil. */
function decideIdle(given: RouteCase): RouteDecision {
  const { intent, words } = given;
  if (intent?.taskRelation.type !== 'control_instruction') return act('next_goal', words.routeNextGoal);
  const decision = decideControl(given, { sure: isSure(intent.taskRelation.confidence), toConfirm: false });
  // Nothing runs that could answer what a question asks beside the status.
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
  if (control === null) return ask(words.routeWhichControl, words.askedControl);
  if (named !== null && meant !== null && named !== meant)
    return ask(fill(words.routeDisagree, { meant, named }), words.askedControl);
  const confirm = control === 'cancel' && (!sure || toConfirm);
  const reason = words[CONTROL_REASON[control]];
  return { act: 'control', confirm, control, noted: saysMore(given, control), question: null, reason };
}

/** Whether roles are to read the messages too; none reads anything in a run that is cancelled. */
function saysMore({ items, intent }: RouteCase, control: Control): boolean {
  if (control === 'cancel') return false;
  return items.length > 1 || intent?.normalizedIntent.scope !== 'meta_control';
}

/** What the understanding role's words for an action come to; of the others, nothing is controlled. */
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

/** Where a route was not approved: the run goes on with the message as a note, or has it as its next goal. */
export function deniedRoute(idle: boolean, why: string): RouteDecision {
  return act(idle ? 'next_goal' : 'continue', why);
}

function act(
  name: Exclude<RouteDecision['act'], 'control' | 'ask_user'>,
  reason: string,
  confirm = false,
): RouteDecision {
  return { act: name, confirm, control: null, noted: false, question: null, reason };
}

function ask(reason: string, question: string): RouteDecision {
  return { act: 'ask_user', confirm: false, control: null, noted: false, question, reason };
}

const CONTROL_REASON = {
  pause: 'routePause',
  continue: 'routeResume',
  cancel: 'routeCancel',
  status: 'routeStatus',
} as const satisfies Record<Control, WordKey>;
