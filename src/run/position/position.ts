/**
 * The positions where a run can stand, by kind of mode (`PositionsOf`), and what comes in between at any
 * (`Interrupt`).
 */

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
  /** Whether the role was offered tools: if not, its calls are closed with results. */
  toolsOffered: boolean;
  /** Index of the next call that has no result yet. */
  next: number;
  /** Arguments that a person edited at a gate, by tool call id. */
  edited: Record<string, Record<string, unknown>>;
  /** A message waits: its calls that do not only read are skipped in their turn, the others run. */
  readsOnly?: true;
}

/** How far the role at work at a position is: all that the turn loop knows of a position. */
export interface Turns {
  round: number;
  instructed: boolean;
  /** Its last reply was sent back once for its form. */
  reasked: boolean;
  /** The received beginning of a text that the output limit cut; the next reply continues it. Null for none. */
  cut: string | null;
  /** The model failed for good here, and a person is asked how to go on. */
  failure: CallFailure | null;
  batch: Batch | null;
}

export function newTurns(): Turns {
  return { round: 0, instructed: false, reasked: false, cut: null, failure: null, batch: null };
}

interface AtPlan {
  /** Of the plan: 1 for the first of a goal, one more after each verification that asks for more. */
  cycle: number;
  turns: Turns;
}

export interface Reading {
  goal: string;
  reasoning: string;
  /** In percent; null where the role gave none. */
  confidence: number | null;
  doubts: string[];
  /** Ids of open tasks of the person that the message is about: a plan may give those up. Absent: none. */
  mayGiveUp?: string[];
}

export interface Improvements {
  /** Who asks: it decides what the planner is told. */
  from: 'verification' | 'check' | 'user' | 'gate' | 'review' | 'orchestrator' | 'step';
  wanted: string[];
  /** Of the message that asks for it; null where none was understood. */
  reading: Reading | null;
}

export interface Planning extends AtPlan {
  phase: 'planning';
  /** Null for the first plan of a goal. */
  improvements: Improvements | null;
  /**
   * `ask`: the person, what the planner does not know. `release`: a plan is adopted, and reviewer or person look at
   * it.
   */
  step: { kind: 'plan' } | { kind: 'ask'; question: string } | { kind: 'release' };
  /** Why a person must confirm what the planner said last, in sentences. */
  concerns: string[];
  /** What the planner proposed to prove the goal by: it counts where a person approves the plan. */
  checks: Check[];
  /** The first calls of the plan's only task, as the planner gave them. Absent: none. */
  begin?: FirstCall[];
}

export interface Execution extends AtPlan {
  phase: 'execution';
  step: ExecutionStep;
  /** The task's rounds are used up: the one reply left is its report, without tools. */
  reporting: boolean;
}

export type ExecutionStep =
  | { kind: 'choose' }
  | { kind: 'work'; taskId: string }
  /** The person is asked what the executor does not know. */
  | { kind: 'ask'; taskId: string; question: string }
  /** The task has its report; reviewer, and person where there are concerns, look at it. */
  | { kind: 'judge'; taskId: string; concerns: string[] }
  /** It has just failed: the run's policy, or the orchestrator, says how the plan goes on. */
  | { kind: 'failed'; taskId: string };

export interface Verification extends AtPlan {
  phase: 'verification';
  step:
    | { kind: 'verify' }
    | { kind: 'ask'; question: string }
    /** The verdict is that all is done; a person is asked, for these reasons. */
    | { kind: 'confirm'; concerns: string[] };
  /** Nobody answered its question, so it has one reply left. */
  unanswered: boolean;
  /** What the run has looked up for this verdict; null: nothing yet. */
  looked: Looked | null;
  /** What it rested on changed after a verdict: so this is the second look. */
  anew: boolean;
}

export interface WrapUp extends AtPlan {
  phase: 'wrap_up';
  cause: Cause;
  why: string;
  /** The failure that ended the work, with little of its message; null where something else did. */
  failure: CallFailure | null;
  /** The role that answers, where it is not the last of the mode. */
  by?: string;
}

/**
 * Roles work on the goal itself, one or several in turn: the last one's answer is that of the goal. There is no plan:
 * the cycle is 1.
 */
export interface Answering extends AtPlan {
  phase: 'answering';
  /** Whose turn it is, from 0. */
  step: number;
  /** A person is asked: what the role does not know, or whether its answer counts, for these reasons. Absent: nobody. */
  asking?: { kind: 'ask'; question: string } | { kind: 'confirm'; concerns: string[]; answer: string };
  /** Nobody answered its question, so it has one reply more, and no further question. */
  unanswered?: true;
  /** Nobody confirmed an answer before it, or this one: so the goal ends. */
  unconfirmed?: true;
}

/** The goal's checks are made, one after the other: what came of them stands with the goal. */
export interface Checking extends AtPlan {
  phase: 'checking';
  of: CheckedWork;
}

/** What is checked: the work on a plan, what there is without one, or the answer of the role whose turn it was. */
export type CheckedWork =
  | { kind: 'plan' }
  | { kind: 'no_plan' }
  | { kind: 'answer'; step: number; text: string; unconfirmed?: true };

/** A role chooses the mode of the goal, which has none of its own yet. */
export interface Choosing extends AtPlan {
  phase: 'choosing';
}

/** The positions of each kind of mode: its step takes these, and no others. Every kind has the wrap-up. */
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
  /** The role that was at work, in whose thread the messages are noted; null for none. */
  role: string | null;
  /** The goal before is answered: the message is a follow-up. */
  idle: boolean;
  stage: 'understanding' | 'routing' | 'deciding';
  intent: IntentOutput | null;
  proposal: RouteOutput | null;
  clarification: string | null;
  concerns: string[];
  /** What the user answered to a question about the messages. */
  answers: string[];
  /** Usage of understanding a message between two goals; the goal before neither pays for it nor limits it. */
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

/** What a second role is asked in the middle of another's work. */
export interface RoleQuestion {
  /** What it is about: the same when the position is entered again. */
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

/** An interruption at a position. Once it is settled, the run is back at that position. */
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

/** A position of the same kind at which nothing has been done yet. */
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
