/**
 * Everything a run is, as one serialisable value: its conversation, its plan, and where it stands.
 * Continue-as-new carries it, the simulation re-enters it, `show` reads it.
 */
import type { Account } from './account.js';
import { emptyAccount } from './account.js';
import { GOAL_TEXT_BYTES, GOALS_BYTES, OLD_ANSWER_BYTES } from './bounds.js';
import type { Cause, Outcome } from './cause.js';
import type { Cursor } from './cursor.js';
import { here, newCursor, steeringAt } from './cursor.js';
import { cutText } from './fit.js';
import type { Gate, GateAnswer } from './gates/gate.js';
import type { Inbox } from './inbox.js';
import { emptyInbox } from './inbox.js';
import type { Journal } from './journal.js';
import type { BudgetUse } from './limits.js';
import type { Message, Usage } from './message.js';
import { NO_USAGE } from './message.js';
import type { Task } from './plan.js';
import type { PinnedRun, RunSettings } from './run-config.js';
import { sizeOfList } from './sizes.js';
import type { Ledger } from './tools/ledger.js';
import { emptyLedger } from './tools/ledger.js';
import type { Trace } from './trace.js';
import { emptyTrace } from './trace.js';

/** Raised when a change to `RunState` needs older states to be upgraded when they are carried over. */
export const RUN_STATE_VERSION = 1;

/** What went wrong with the model call that is being tried; a call that succeeds, or fails for good, ends it. */
export interface Retries {
  /** Times in a row that it was lost with its worker. */
  lost: number;
  /** Times that the thread was trimmed because the model found it too long. */
  trims: number;
}

export const NO_RETRIES: Retries = { lost: 0, trims: 0 };

export interface Thread {
  id: string;
  /** Messages are append-only within an epoch. */
  epoch: number;
  messages: Message[];
  /** Estimated tokens of all messages. */
  tokens: number;
  /** Messages trimmed away so far. */
  dropped: number;
}

/** What a model call sends, fixed when it is scheduled: every retry sends the same. */
export interface PinnedCall {
  callId: string;
  role: string;
  model: string;
  thread: string;
  epoch: number;
  /** Messages before this index belong to the call. */
  upTo: number;
  toolsOffered: boolean;
  /** System text of this call where it is not the role's own. */
  system?: string;
}

export interface GoalState extends Account {
  /** 1 for the first. */
  number: number;
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
  /** What a person said meanwhile, part of the goal: at most `WISHES_BYTES` in all. */
  wishes: string[];
  /** The last verification's summary, for the answer when a cap is reached. */
  lastSummary: string | null;
}

/** An open gate, or one whose answer the loop has not read yet. */
export interface OpenGate {
  /** What it is about, the same when the place is entered again: `approval:c12_1`. */
  key: string;
  gate: Gate;
  answer: GateAnswer | null;
}

/** A goal that has ended. */
export interface GoalRecord {
  number: number;
  text: string;
  outcome: Outcome;
  /** Why it ended so. */
  cause: Cause;
  /** By reference where it is long and another goal has followed. */
  answer: string;
  /** Model replies it took, with those of goals before it that are no longer kept. */
  turns: number;
}

export interface StopRequest {
  at: number;
  reason: string;
}

export interface RunState {
  version: typeof RUN_STATE_VERSION;
  settings: RunSettings;
  /** Null until the run is loaded. */
  pinned: PinnedRun | null;
  startedAt: number;
  /** 1, and one more at each continue-as-new. */
  part: number;
  /** Temporal run id of the part before this one: `watch` walks the chain. */
  previousRunId: string | null;
  goal: GoalState;
  cursor: Cursor;
  threads: Record<string, Thread>;
  tasks: Task[];
  ledger: Ledger;
  /** Model calls in flight and the last five. */
  calls: PinnedCall[];
  /** Bad calls by tool in the task at hand. */
  badCalls: Record<string, number>;
  /** Which model of its chain each role is at. */
  modelIndex: Record<string, number>;
  /** Estimated tokens of messages that a model takes, once it has found more too long: by model of the chains. */
  contextLimits: Record<string, number>;
  retries: Retries;
  /** Id of the tool call in flight, for the worker that asks for its arguments. */
  toolCallId: string | null;
  /** Search attributes as last written. */
  shown: Record<string, string>;
  /** Source of message and call ids. */
  lastId: number;
  journal: Journal;
  trace: Trace;
  usage: Usage;
  /** Model replies over all goals, also those between two. */
  turns: number;
  stop: StopRequest | null;
  /** Set while a person holds the run before its next call. */
  pausedAt: number | null;
  /** No further goal is wanted: a run that is kept open ends when its goal is answered. */
  finishing: boolean;
  /** Since when the goal is answered and no other has begun; null while one is pursued. */
  idleSince: number | null;
  inbox: Inbox;
  gates: OpenGate[];
  /** Ids of gates that were closed, the last 200. */
  closedGates: string[];
  /** Tools that a person allowed for the rest of the run. */
  allowedTools: string[];
  /** Goals of this run that have ended. */
  goals: GoalRecord[];
  /** The blob store did not take a text: the journal has it, and less is hoped of the store from then on. */
  storeFailed: boolean;
  /** Set when the run has ended. */
  end: { outcome: Outcome; cause: Cause; answer: string } | null;
}

export const MAIN_THREAD = 'main';
export const CALLS_KEPT = 5;

export function newGoal(number: number, text: string, startedAt: number): GoalState {
  return {
    number,
    text: cutText(text, GOAL_TEXT_BYTES),
    startedAt,
    ...emptyAccount(),
    warned: [],
    asked: false,
    waitedMs: 0,
    waitingSince: null,
    wishes: [],
    lastSummary: null,
  };
}

export function newRunState(goal: string, settings: RunSettings, now: number): RunState {
  return {
    version: RUN_STATE_VERSION,
    settings,
    pinned: null,
    startedAt: now,
    part: 1,
    previousRunId: null,
    // Whole until it has been said.
    goal: { ...newGoal(1, '', now), text: goal },
    cursor: newCursor(settings.mode),
    threads: {},
    tasks: [],
    ledger: emptyLedger(),
    calls: [],
    badCalls: {},
    modelIndex: {},
    contextLimits: {},
    retries: NO_RETRIES,
    toolCallId: null,
    shown: {},
    lastId: 0,
    journal: { lastSeq: 0, events: [] },
    trace: emptyTrace(),
    usage: NO_USAGE,
    turns: 0,
    stop: null,
    pausedAt: null,
    finishing: false,
    idleSince: null,
    inbox: emptyInbox(),
    gates: [],
    closedGates: [],
    allowedTools: [],
    goals: [],
    storeFailed: false,
    end: null,
  };
}

/** A message that came after a goal's end is on its own account, which the next goal takes over where it becomes one (PR7). */
export function accountOf({ goal, cursor }: RunState): Account {
  const steering = steeringAt(cursor);
  return steering?.idle ? steering.spent : goal;
}

/** Whether the calls made here are held to the goal's budgets: not the wrap-up, and not between two goals. */
export function isCounted({ cursor }: RunState): boolean {
  return cursor.place.phase !== 'wrap_up' && !steeringAt(cursor)?.idle;
}

/** Whether a pause holds the run here: it goes on listening, so messages are understood all the same. */
export function isHeld({ pausedAt, stop, cursor }: RunState): boolean {
  return pausedAt !== null && stop === null && here(cursor).phase !== 'steering';
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

/** What the goal at hand, and the run with it, has used of its budgets. */
export function budgetUse({ goal, turns }: RunState, now: number): BudgetUse {
  return {
    turns: goal.counters.turns,
    totalTurns: turns,
    tokens: goal.usage.inputTokens + goal.usage.outputTokens,
    wallTimeMs: goalTimeMs(goal, now),
    costUsd: goal.usage.costUsd,
  };
}
