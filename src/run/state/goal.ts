/** The goal at hand, and those of a run that have ended. */

import { wellFormed } from '../../base/json/json.js';
import {
  GOAL_TEXT_BYTES,
  GOALS_BYTES,
  OLD_ANSWER_BYTES,
  USER_NOTE_BYTES,
  USER_NOTES_BYTES,
} from '../../base/sizes/bounds.js';
import { sizeOfList } from '../../base/sizes/sizes.js';
import { cutText, lastWithin } from '../../base/text/fit.js';
import { delimit } from '../../base/words/prompt.js';
import type { Words } from '../../base/words/words.js';
import { type GoalChecks, noChecks } from '../checks/check.js';
import type { Basis, Rest } from '../evidence/evidence.js';
import type { Cause, Outcome } from '../limits/cause.js';
import { type Account, emptyAccount } from '../limits/usage-by.js';
import type { ModeName } from '../position/modes.js';

/** What summaries of the conversation have taken. */
export interface SummaryCost {
  /** Sent and written, those of sub-agents and what one in flight takes at most with them. */
  tokens: number;
  /** One has failed or was too long: none is asked for any more. */
  ended: boolean;
}

export interface GoalState extends Account {
  number: number;
  mode: ModeName;
  /** Why, where a role chose it, in short; else null. */
  modeWhy: string | null;
  /** What the goal is, cut where it is long: the conversation has it whole. */
  text: string;
  startedAt: number;
  /** A planner's question was put to the person: once a goal. */
  asked: boolean;
  /** Time spent waiting for people, milliseconds: not counted as wall time. */
  waitedMs: number;
  /** Since when the run waits for a person; null when it does not. */
  waitingSince: number | null;
  /** Budgets whose warning the journal already has. */
  warned: string[];
  /** What a person said meanwhile, part of the goal: at most `USER_NOTES_BYTES` in all. */
  userNotes: string[];
  /** The last verification's summary, for the answer when a cap is reached. */
  lastSummary: string | null;
  checks: GoalChecks;
  /** On what the verdict rests that accepted it; null for none. */
  basis: Basis | null;
  /** By that verdict: parts of the goal that are impossible here. */
  exceptions: string[];
  /** What lies in the workspace is told: with the opening of the run for the first goal, else as its work begins. */
  listed: boolean;
  /** The workspace as its work began, by reference; null: it could not be kept. Absent: nobody has looked. */
  start?: { ref: string | null };
  /** Left out until a summary is asked for. */
  summaries?: SummaryCost;
}

export interface GoalRecord extends Rest {
  number: number;
  text: string;
  outcome: Outcome;
  cause: Cause;
  /** By reference where it is long and another goal has followed. */
  answer: string;
  /** Model replies it took, with those of goals before it that are no longer kept. */
  turns: number;
}

/** What its end tells beside its cause. */
export function restOfGoal(
  { checks, basis: ofVerdict, exceptions }: Pick<GoalState, 'checks' | 'basis' | 'exceptions'>,
  outcome: Outcome,
): Rest {
  // With checks, a goal is completed only where each of them has passed.
  const basis = checks.results.length > 0 ? 'checks' : ofVerdict;
  const rests = outcome === 'completed' && basis !== null;
  return { ...(rests && { basis }), ...(exceptions.length > 0 && { exceptions }) };
}

export function newGoal(
  number: number,
  text: string,
  { mode, startedAt }: Pick<GoalState, 'mode' | 'startedAt'>,
): GoalState {
  return {
    number,
    text: cutText(wellFormed(text), GOAL_TEXT_BYTES),
    mode,
    modeWhy: null,
    startedAt,
    ...emptyAccount(),
    warned: [],
    asked: false,
    waitedMs: 0,
    waitingSince: null,
    userNotes: [],
    lastSummary: null,
    checks: noChecks(),
    basis: null,
    exceptions: [],
    listed: number === 1,
  };
}

/** Counts tokens of summaries. Changes `goal`. */
export function noteSummaries(goal: GoalState, { tokens = 0, ended = false }: Partial<SummaryCost>): void {
  const before = goal.summaries ?? { tokens: 0, ended: false };
  goal.summaries = { tokens: before.tokens + tokens, ended: before.ended || ended };
}

/** Time that counts against a goal's limit: waits on people are not in it. */
export function goalTimeMs(goal: GoalState, now: number): number {
  const waiting = goal.waitingSince === null ? 0 : now - goal.waitingSince;
  return now - goal.startedAt - goal.waitedMs - waiting;
}

/** What is left of a goal that ended long ago. */
const OLD_GOAL_TEXT_BYTES = 300;

/** The goals with one more that has ended; where they are too much, the oldest are cut, then go. */
export function withGoal(goals: readonly GoalRecord[], ended: GoalRecord): GoalRecord[] {
  const all = [...goals, { ...ended, text: cutText(ended.text, OLD_ANSWER_BYTES) }];
  for (let index = 0; index < all.length - 1 && sizeOfList(all) > GOALS_BYTES; index += 1) {
    const old = all[index];
    if (old)
      all[index] = {
        ...old,
        text: cutText(old.text, OLD_GOAL_TEXT_BYTES),
        answer: cutText(old.answer, OLD_GOAL_TEXT_BYTES),
      };
  }
  while (sizeOfList(all) > GOALS_BYTES) {
    const [first, second] = all;
    if (!first || !second) break;
    all.splice(0, 2, { ...second, turns: second.turns + first.turns });
  }
  return all;
}

// What a person said while a goal was pursued, kept with the goal (OU10): whoever judges or ends the work sees it
// beside the goal, however far back in the conversation it stands.

/** The user notes with one more, within their bounds: the oldest go first. The conversation has them whole. */
export function withUserNote(userNotes: readonly string[], text: string): string[] {
  return lastWithin([...userNotes, cutText(text, USER_NOTE_BYTES)], USER_NOTES_BYTES);
}

/** The user notes as a part of an instruction; empty where there are none. */
export function userNotesText({ userNotes }: Pick<GoalState, 'userNotes'>, words: Words): string {
  if (userNotes.length === 0) return '';
  const list = delimit('user_notes', userNotes.map(userNote => `- ${userNote}`).join('\n'));
  return `${words.userNotes}\n${list}`;
}
