/** The positions of a run, by kind of mode (`PositionsOf`), and what may interrupt any of them (`Interrupt`). */

import type { Check } from '../checks/check.js';
import type { Looked } from '../evidence/evidence.js';
import type { Cause } from '../limits/cause.js';
import type { CallFailure } from '../limits/failure.js';
import { type Account, emptyAccount } from '../limits/usage-by.js';
import type { FirstCall, IntentOutput, OutputContract, RouteOutput } from '../outputs/contracts.js';
import type { InboxItem } from '../steering/inbox.js';

export interface Batch {
  thread: string;
  messageId: string;
  /** Number of the reply in the run. */
  turn: number;
  /** True if the role was offered tools; if not, its calls are closed with results. */
  toolsOffered: boolean;
  /** Index of the next call that has no result yet. */
  next: number;
  /** Arguments that a person edited at a gate, by tool call id. */
  edited: Record<string, Record<string, unknown>>;
  /** A person's answers about calls that one gate asked about together, by tool call id. Absent: none. */
  said?: Record<string, { decision: 'approve' | 'deny'; reason: string | null }>;
  /** A plan names these calls: the run made them, and no model asked. */
  planned?: true;
  /** A message waits: calls that do more than read are skipped in their turn, the others run. */
  readsOnly?: true;
}

/** A role's progress at a position: the only part that the turn loop knows. */
export interface Turns {
  round: number;
  instructed: boolean;
  /** Its last reply was sent back once for its form. */
  reasked: boolean;
  /** The received beginning of a text that the output limit cut; the next reply continues it. Null without one. */
  cut: string | null;
  /** The model failed finally here, and a person is asked how to continue. */
  failure: CallFailure | null;
  batch: Batch | null;
}

export function newTurns(): Turns {
  return { round: 0, instructed: false, reasked: false, cut: null, failure: null, batch: null };
}

interface AtPlan {
  /** The number of the plan: 1 for a goal's first, plus 1 after each verification that asks for more. */
  cycle: number;
  turns: Turns;
}

export interface Reading {
  goal: string;
  reasoning: string;
  /** In percent; null if the role stated no confidence. */
  confidence: number | null;
  doubts: string[];
  /** Ids of the person's open tasks that the message is about: a plan may give those up. Absent: no tasks. */
  mayGiveUp?: string[];
}

export interface Improvements {
  /** The source of the request, which determines the planner's instruction. */
  from: 'verification' | 'check' | 'user' | 'gate' | 'review' | 'orchestrator' | 'step';
  wanted: string[];
  /** How the message that asks for this plan was understood; null if no message asks for it. */
  reading: Reading | null;
}

export interface Planning extends AtPlan {
  phase: 'planning';
  /** Null for the first plan of a goal. */
  improvements: Improvements | null;
  /** `ask` asks the person a planner's question. `release`: the plan is adopted, and the reviewer or the person checks it. */
  step: { kind: 'plan' } | { kind: 'ask'; question: string } | { kind: 'release' };
  /** Why a person must confirm the planner's last output, in sentences. */
  concerns: string[];
  /** Checks that the planner proposed for the goal; they count once a person approves the plan. */
  checks: Check[];
  /** The first calls of the plan's only task, from the planner. Absent: no calls. */
  begin?: FirstCall[];
}

export interface Execution extends AtPlan {
  phase: 'execution';
  step: ExecutionStep;
  /** The task's rounds are used up: the last reply is its report, without tools. */
  reporting: boolean;
  /** The id of the task's own call; null once the role has taken over. Absent: not begun. */
  call?: string | null;
}

export type ExecutionStep =
  | { kind: 'choose' }
  | { kind: 'work'; taskId: string }
  /** The person is asked the executor's question. */
  | { kind: 'ask'; taskId: string; question: string }
  /** The task has its report; the reviewer checks it, and the person if there are concerns. */
  | { kind: 'judge'; taskId: string; concerns: string[] }
  /** The task has just failed: the run's policy, or the orchestrator, decides how the plan continues. */
  | { kind: 'failed'; taskId: string };

export interface Verification extends AtPlan {
  phase: 'verification';
  step:
    | { kind: 'verify' }
    | { kind: 'ask'; question: string }
    /** The verdict accepts; a person must confirm it for these reasons. */
    | { kind: 'confirm'; concerns: string[] };
  /** Its question got no answer, so it has one reply left. */
  unanswered: boolean;
  /** The evidence that the run has collected for this verdict; null: not yet. */
  looked: Looked | null;
  /** The evidence changed after a first verdict, so this is the second one. */
  anew: boolean;
}

export interface WrapUp extends AtPlan {
  phase: 'wrap_up';
  cause: Cause;
  why: string;
  /** The failure that ended the work, with a short message; null for any other cause. */
  failure: CallFailure | null;
  /** The role that answers, if it is not the mode's last. */
  by?: string;
}

/**
 * Roles work on the goal itself, one or several in turn, and the last one's answer is the goal's. Without a plan, the
 * cycle is 1.
 */
export interface Answering extends AtPlan {
  phase: 'answering';
  /** The index of the role whose turn it is, from 0. */
  step: number;
  /** A person is asked the role's question, or to confirm its answer for these reasons. Absent: not waiting. */
  asking?: { kind: 'ask'; question: string } | { kind: 'confirm'; concerns: string[]; answer: string };
  /** Its question got no answer, so it has one more reply, and no further question. */
  unanswered?: true;
  /** A person did not confirm this answer or an earlier one, so the goal ends. */
  unconfirmed?: true;
}

/** The goal's checks run one after the other; the goal has their results. */
export interface Checking extends AtPlan {
  phase: 'checking';
  of: CheckedWork;
}

/** The checked work: the tasks of a plan, the results of a plan without tasks, or a role's answer to the goal. */
export type CheckedWork =
  | { kind: 'plan' }
  | { kind: 'no_plan' }
  | { kind: 'answer'; step: number; text: string; unconfirmed?: true };

/** A role chooses the mode of the goal, which has no mode yet. */
export interface Choosing extends AtPlan {
  phase: 'choosing';
}

/** The positions of each kind of mode: its step takes exactly these. Every kind has the wrap-up. */
export interface PositionsOf {
  team: Planning | Execution | Checking | Verification | WrapUp;
  plan: Planning | Execution | Checking | WrapUp;
  steps: Answering | Checking | WrapUp;
  auto: Choosing | WrapUp;
}

export type Position = PositionsOf[keyof PositionsOf];

export function planningAt(cycle: number, improvements: Improvements | null = null): Planning {
  return {
    phase: 'planning',
    cycle,
    turns: newTurns(),
    improvements,
    step: { kind: 'plan' },
    concerns: [],
    checks: [],
  };
}

export function executionAt(cycle: number, step: ExecutionStep = { kind: 'choose' }): Execution {
  return { phase: 'execution', cycle, turns: newTurns(), step, reporting: false };
}

export function verificationAt(cycle: number, anew = false): Verification {
  return {
    phase: 'verification',
    cycle,
    turns: newTurns(),
    step: { kind: 'verify' },
    unanswered: false,
    looked: null,
    anew,
  };
}

export function answeringAt(step = 0, { unconfirmed }: Pick<Answering, 'unconfirmed'> = {}): Answering {
  return { phase: 'answering', cycle: 1, turns: newTurns(), step, ...(unconfirmed && { unconfirmed }) };
}

export function checkingAt(cycle: number, of: CheckedWork): Checking {
  return { phase: 'checking', cycle, turns: newTurns(), of };
}

export function choosingAt(): Choosing {
  return { phase: 'choosing', cycle: 1, turns: newTurns() };
}

export function wrapUpAt(
  cycle: number,
  { cause, why, failure = null, by }: Pick<WrapUp, 'cause' | 'why'> & Partial<Pick<WrapUp, 'failure' | 'by'>>,
): WrapUp {
  return { phase: 'wrap_up', cycle, turns: newTurns(), cause, why, failure, ...(by !== undefined && { by }) };
}

export function taskOf(position: Position): string | null {
  if (position.phase !== 'execution') return null;
  const { step } = position;
  return step.kind === 'choose' || step.kind === 'failed' ? null : step.taskId;
}

/** Messages that the understanding and router roles are working on. */
export interface Steering {
  phase: 'steering';
  turns: Turns;
  items: InboxItem[];
  /** The role that was at work, whose thread gets the messages; null without one. */
  role: string | null;
  /** The previous goal is answered: the message is a follow-up. */
  idle: boolean;
  stage: 'understanding' | 'routing' | 'deciding';
  intent: IntentOutput | null;
  proposal: RouteOutput | null;
  clarification: string | null;
  concerns: string[];
  /** The user's answers to questions about the messages. */
  answers: string[];
  /** Usage of understanding a message between two goals; the previous goal neither pays for it nor limits it. */
  spent: Account;
}

export function newSteering(items: InboxItem[], role: string | null): Steering {
  return {
    phase: 'steering',
    turns: newTurns(),
    items,
    role,
    idle: role === null,
    stage: 'understanding',
    intent: null,
    proposal: null,
    clarification: null,
    concerns: [],
    answers: [],
    spent: emptyAccount(),
  };
}

/** A question to a second role while another works. */
export interface RoleQuestion {
  /** The subject of the question; it is the same when the position is entered again. */
  key: string;
  role: string;
  output: OutputContract;
  instruction: string;
}

export interface Consultation extends RoleQuestion {
  phase: 'consultation';
  turns: Turns;
}

export function newConsultation({ key, role, output, instruction }: RoleQuestion): Consultation {
  return { phase: 'consultation', turns: newTurns(), key, role, output, instruction };
}

/** An interruption at a position. When it is settled, the run returns to that position. */
export type Interrupt = Steering | Consultation;

export type Phase = (Position | Interrupt)['phase'];

const EVERY_PHASE: Record<Phase, true> = {
  planning: true,
  execution: true,
  verification: true,
  answering: true,
  checking: true,
  choosing: true,
  wrap_up: true,
  steering: true,
  consultation: true,
};
export const PHASES = Object.keys(EVERY_PHASE) as Phase[];

/** Returns a position of the same kind without any progress. */
export function begun(at: Position | Interrupt): Position | Interrupt {
  switch (at.phase) {
    case 'planning':
      return planningAt(at.cycle);
    case 'execution':
      return executionAt(at.cycle);
    case 'verification':
      return verificationAt(at.cycle);
    case 'answering':
      return answeringAt(at.step, at);
    case 'checking':
      return checkingAt(at.cycle, at.of);
    case 'choosing':
      return choosingAt();
    case 'wrap_up':
      return wrapUpAt(at.cycle, at);
    case 'steering':
      return newSteering([], at.role);
    case 'consultation':
      return newConsultation(at);
  }
}
