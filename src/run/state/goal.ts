/** The current goal of a run, and those that have ended. */

import { jsonBytes, wellFormed, without } from '../../base/json/json.js';
import {
  GOAL_TEXT_BYTES,
  GOALS_BYTES,
  OLD_ANSWER_BYTES,
  USER_NOTE_BYTES,
  USER_NOTES_BYTES,
} from '../../base/sizes/bounds.js';
import { sizeOf, sizeOfList } from '../../base/sizes/sizes.js';
import { cutText, lastWithin } from '../../base/text/fit.js';
import { delimit } from '../../base/words/prompt.js';
import type { Words } from '../../base/words/words.js';
import { type GoalChecks, noChecks } from '../checks/check.js';
import type { Basis, EndFacts } from '../evidence/evidence.js';
import type { Cause, Outcome } from '../limits/cause.js';
import type { CallFailure } from '../limits/failure.js';
import { type Account, emptyAccount } from '../limits/usage-by.js';
import type { ModeName } from '../position/modes.js';

/** The usage of the conversation's summaries. */
export interface SummaryCost {
  /** Tokens sent and written, including sub-agents' summaries and the maximum of one in flight. */
  tokens: number;
  /** A summary has failed or was too long, so no further one is requested. */
  ended: boolean;
}

export interface GoalState extends Account {
  number: number;
  mode: ModeName;
  /** The reason for the mode if a role chose it, in short; else null. */
  modeWhy: string | null;
  /** The goal's text, cut if long: the conversation has all of it. */
  text: string;
  startedAt: number;
  /** A planner's question was put to the person, which happens once a goal. */
  asked: boolean;
  /** Time spent waiting for people, milliseconds; it does not count as wall time. */
  waitedMs: number;
  /** The time since which the run waits for a person; null if it does not wait. */
  waitingSince: number | null;
  /** Budgets for which the journal already has a warning. */
  warned: string[];
  /** A person's notes during the goal, which are part of it: at most `USER_NOTES_BYTES` in all. */
  userNotes: string[];
  /** The last verification's summary, used as the answer when a cap is reached. */
  lastSummary: string | null;
  checks: GoalChecks;
  /** The basis of the accepting verdict; null without one. */
  basis: Basis | null;
  /** Parts of the goal that are impossible here, by that verdict. */
  exceptions: string[];
  /** The workspace's files were listed to the roles: at the run's opening for the first goal, else when its work begins. */
  listed: boolean;
  /** The blob reference of the workspace's listing when the work began; null: it could not be stored. Absent: not listed. */
  start?: { ref: string | null };
  /** Absent until a summary is requested. */
  summaries?: SummaryCost;
}

/** How a goal ends. */
export interface GoalEnd {
  outcome: Outcome;
  /** The reason of the end, such as the limit that was reached. */
  cause: Cause;
  /** For a person, in Markdown. It may be partial; the outcome then says so. */
  answer: string;
  /** The role's own text, if a final-response template is around it. Stored only until the end is settled. */
  said?: string;
  /** The answer as a value, if one was requested and fits. */
  value?: Record<string, unknown>;
  /** The failure, if the outcome is `failed`. */
  failure?: CallFailure;
}

export interface GoalRecord extends EndFacts {
  number: number;
  text: string;
  outcome: Outcome;
  cause: Cause;
  /** A blob reference if the answer is long and another goal has followed. */
  answer: string;
  /** Absent without one, and for old goals if space is short. */
  value?: Record<string, unknown>;
  /** Model replies it took, including those of earlier goals that are no longer stored. */
  turns: number;
}

/** Returns further facts about a goal's end: basis and exceptions. */
export function endFacts(
  { checks, basis: ofVerdict, exceptions }: Pick<GoalState, 'checks' | 'basis' | 'exceptions'>,
  outcome: Outcome,
): EndFacts {
  // With checks, a goal is completed only if every check passed.
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

/** Returns the time that counts against a goal's limit, without waits for people. */
export function goalTimeMs(goal: GoalState, now: number): number {
  const waiting = goal.waitingSince === null ? 0 : now - goal.waitingSince;
  return now - goal.startedAt - goal.waitedMs - waiting;
}

/** The limit for the texts of an old goal. */
const OLD_GOAL_TEXT_BYTES = 300;
const LIST_FRAME_BYTES = 10;

/** Adds an ended goal; if the list is too large, the oldest goals are cut, then dropped. */
export function withGoal(goals: readonly GoalRecord[], ended: GoalRecord): GoalRecord[] {
  const newest = { ...ended, text: cutText(ended.text, OLD_ANSWER_BYTES) };
  // A large value leaves little space for the text, which the conversation has too.
  const over = sizeOf(newest) - GOALS_BYTES + LIST_FRAME_BYTES;
  const answer = over > 0 ? cutText(newest.answer, jsonBytes(newest.answer) - over) : newest.answer;
  const all: GoalRecord[] = [...goals, { ...newest, answer }];
  for (let index = 0; index < all.length - 1 && sizeOfList(all) > GOALS_BYTES; index += 1) {
    const old = all[index];
    if (old)
      all[index] = {
        ...without(old, 'value'),
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

// User notes are messages from a person during a goal, stored with it (OU10): the roles that judge or end the work see
// them next to the goal, even if they are far back in the conversation.

/** Adds a user note within the bounds: the oldest are dropped first. The conversation has all of them. */
export function withUserNote(userNotes: readonly string[], text: string): string[] {
  return lastWithin([...userNotes, cutText(text, USER_NOTE_BYTES)], USER_NOTES_BYTES);
}

/** Returns the user notes as part of an instruction; '' without any. */
export function userNotesText({ userNotes }: Pick<GoalState, 'userNotes'>, words: Words): string {
  if (userNotes.length === 0) return '';
  const list = delimit('user_notes', userNotes.map(userNote => `- ${userNote}`).join('\n'));
  return `${words.userNotes}\n${list}`;
}
