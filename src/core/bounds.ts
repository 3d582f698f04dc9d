/**
 * How large a run's state can become, in bytes as JSON in UTF-8 (L20). Continue-as-new carries the whole state
 * as one input: the server refuses inputs over 2 MB, and the task then fails again and again with no end. So
 * every part has its bound here, kept where the part is written; the conversation gets what the others leave.
 */
import { jsonBytes } from './json.js';
import type { OutputContract } from './role.js';
import type { RunState } from './run-state.js';

/** What the server takes as one payload. */
export const PAYLOAD_BYTES = 2_097_152;

/** One message to a run. */
export const MESSAGE_BYTES = 64_000;
/** A text in a thread, with its quotes; what is longer is kept by reference. */
export const TEXT_BYTES = MESSAGE_BYTES + 200;
/** The text of a reply that is read whole, where the thread has only a part of it: it travels once. */
export const WHOLE_REPLY_BYTES = 400_000;
/** One tool result, all its blocks. */
export const RESULT_BYTES = 72_000;
/** One reply of a model: texts, reasoning and the arguments of its calls. */
export const REPLY_BYTES = 160_000;

/** The texts of a goal where it is said again: the conversation has it whole. */
export const GOAL_TEXT_BYTES = 16_000;
/** One thing that a person said meanwhile, and all of them; how a role read the last that changed the plan. */
export const WISH_BYTES = 2_000;
export const WISHES_BYTES = 8_000;
export const READING_BYTES = 4_000;
/** An answer, and the verifier's summary that may become one. */
export const ANSWER_BYTES = 48_000;
/** What the planner is told to mend. */
export const IMPROVEMENTS_BYTES = 16_000;
/** Goals that have ended: the oldest lose their answers first. */
export const GOALS_BYTES = ANSWER_BYTES + 20_000;
/** An answer of a goal that another has followed. */
export const OLD_ANSWER_BYTES = 4_000;

/** One report of a task; and all of them, of which the oldest are kept by reference. */
export const REPORT_BYTES = 80_000;
export const REPORTS_BYTES = 88_000;
/** What the tasks say besides their reports. */
export const PLAN_BYTES = 56_000;
/** The run's instruction to a role: the verifier's has all reports whole. */
export const BRIEF_TEXT_BYTES = REPORTS_BYTES + 40_000;

export const EVENT_BYTES = 24_000;
export const JOURNAL_BYTES = 120_000;
export const STEP_BYTES = 8_000;
export const TRACE_BYTES = 64_000;
/** Steps above this go to the blob store, at the next safe point. */
export const TRACE_SHELVED_ABOVE = 48_000;
/** Names of tools in totals, ledger and permissions. */
export const MOST_TOOLS_COUNTED = 150;

/** All messages that wait or are being understood. */
export const MESSAGES_BYTES = 100_000;
export const SEEN_IDS_BYTES = 30_000;

/** A gate with its body; all open ones; what is left to a gate where they take all. */
export const GATE_BYTES = 20_000;
export const GATES_BYTES = 64_000;
export const LEAST_GATE_BYTES = 1_200;
/** An answer at a gate; and all that wait to be read besides the one that the run waits for. */
export const GATE_ANSWER_BYTES = 48_000;
export const OTHER_ANSWERS_BYTES = 32_000;

/** Arguments that people edited for one batch of calls. */
export const EDITED_BYTES = 48_000;
export const QUESTION_BYTES = 8_000;
export const FAILURE_BYTES = 4_000;

/** What a role says about a message, or when it is consulted; what an envelope says beside its output. */
export const OPINION_BYTES = 16_000;
/** What is read from a reply, by contract: reports, answers and plans have bounds of their own where they are kept. */
export const OUTPUT_BYTES: Record<OutputContract, number> = {
  plan: 200_000,
  execution: WHOLE_REPLY_BYTES,
  verdict: WHOLE_REPLY_BYTES,
  text: WHOLE_REPLY_BYTES,
  intent: OPINION_BYTES,
  route: OPINION_BYTES,
  review: OPINION_BYTES,
  orchestration: OPINION_BYTES,
};
export const BRIEF_BYTES = 48_000;
export const CONCERNS_BYTES = 8_000;

export const SETTINGS_BYTES = 52_000;
export const PINNED_BYTES = 300_000;
export const LEDGER_BYTES = 75_000;
/** A name, an id. */
const NAME_BYTES = 500;
const NUMBER_BYTES = 40;

const CURSOR_BYTES = EDITED_BYTES + QUESTION_BYTES + FAILURE_BYTES + CONCERNS_BYTES + 2_000;

/** The bound of each part. A part that is new has its place here too, and where it is written. */
export const BOUNDS: Record<keyof RunState, number> = {
  version: NUMBER_BYTES,
  settings: SETTINGS_BYTES,
  pinned: PINNED_BYTES,
  startedAt: NUMBER_BYTES,
  part: NUMBER_BYTES,
  previousRunId: NAME_BYTES,
  goal: GOAL_TEXT_BYTES + WISHES_BYTES + READING_BYTES + IMPROVEMENTS_BYTES + ANSWER_BYTES + 4_000,
  cursor: CURSOR_BYTES,
  /** What is left to the conversation where all others are full; else it gets their share too. */
  threads: 300_000,
  tasks: PLAN_BYTES + REPORTS_BYTES,
  failedTask: NAME_BYTES,
  ledger: LEDGER_BYTES + 1_000,
  calls: 8_000,
  badCalls: 6_000,
  modelIndex: 4_000,
  contextLimits: 4_000,
  retries: 100,
  toolCallId: NAME_BYTES,
  shown: 2_000,
  lastId: NUMBER_BYTES,
  turns: NUMBER_BYTES,
  journal: JOURNAL_BYTES + 100,
  /** Besides steps: totals of tools, and references to steps that were shelved. */
  trace: TRACE_BYTES + 26_000,
  usage: 400,
  stop: 4_000,
  pausedAt: NUMBER_BYTES,
  finishing: NUMBER_BYTES,
  idleSince: NUMBER_BYTES,
  /** With the messages that are being understood. */
  inbox: MESSAGES_BYTES + SEEN_IDS_BYTES + 1_000,
  /** Without its messages. */
  steering: CURSOR_BYTES + 2 * OPINION_BYTES + QUESTION_BYTES + CONCERNS_BYTES + GATE_ANSWER_BYTES + 1_000,
  consultation: CURSOR_BYTES + BRIEF_BYTES + 3 * OPINION_BYTES + 2_000,
  reviewed: NAME_BYTES,
  gates: GATES_BYTES + GATE_ANSWER_BYTES + OTHER_ANSWERS_BYTES + 8_000,
  closedGates: 4_000,
  allowedTools: 16_000,
  goals: GOALS_BYTES,
  storeFailed: NUMBER_BYTES,
  /** Set when nothing is carried any more. */
  end: NUMBER_BYTES,
};

/** Keys of the parts, and what stands around a state in an input. */
const FRAME_BYTES = 4_000;

/** The largest that a state can become. */
export const MAX_STATE_BYTES = sum(Object.values(BOUNDS)) + FRAME_BYTES;

/** Sizes of values that never change once they are made, so that each is measured once. */
const measured = new WeakMap<object, number>();

/** Bytes of a value that never changes: a message, an event, a step, a task. */
export function sizeOf(value: object): number {
  const known = measured.get(value);
  if (known !== undefined) return known;
  const bytes = jsonBytes(value);
  measured.set(value, bytes);
  return bytes;
}

/** Bytes of a list of such values, with brackets and commas. */
export function sizeOfList(values: readonly object[]): number {
  return values.reduce((bytes: number, value) => bytes + sizeOf(value) + 1, 2);
}

/** Sizes of members, by their values: none is ever under two keys. */
const members = new WeakMap<object, number>();

/** Bytes of a member of a record, with its key. */
export function sizeOfMember(key: string, value: object): number {
  const known = members.get(value);
  if (known !== undefined) return known;
  const bytes = jsonBytes(key) + sizeOf(value) + 2;
  members.set(value, bytes);
  return bytes;
}

/** Bytes of a record of such values. */
export function sizeOfRecord(values: Readonly<Record<string, object>>): number {
  return Object.entries(values).reduce((bytes, [key, value]) => bytes + sizeOfMember(key, value), 2);
}

/** Bytes of all threads. */
export function threadsBytes({ threads }: Pick<RunState, 'threads'>): number {
  return sum(Object.values(threads).map(({ messages }) => sizeOfList(messages) + THREAD_FRAME_BYTES)) + 2;
}

const THREAD_FRAME_BYTES = 300;

type Measures = { [K in keyof RunState]?: (state: RunState) => number };

/** Parts that grow, measured by what is new in them; the others are small. */
const MEASURES: Measures = {
  settings: ({ settings }) => sizeOf(settings),
  pinned: ({ pinned }) =>
    pinned === null
      ? NUMBER_BYTES
      : sum(Object.values(pinned).map(part => (isObject(part) ? sizeOf(part) : NUMBER_BYTES))) + 1_000,
  threads: state => threadsBytes(state),
  tasks: ({ tasks }) => sizeOfList(tasks),
  ledger: ({ ledger }) => sizeOfRecord(ledger.entries) + 100,
  journal: ({ journal }) => sizeOfList(journal.events) + 60,
  trace: ({ trace: { steps, ...rest } }) => sizeOfList(steps) + jsonBytes(rest) + 10,
  inbox: ({ inbox, steering }) =>
    sizeOfList([...inbox.items, ...(steering?.items ?? [])]) + jsonBytes(inbox.seenIds) + 30,
  steering: ({ steering }) => jsonBytes(steering && { ...steering, items: [] }),
  gates: ({ gates }) =>
    gates.reduce(
      (bytes, { key, gate, answer }) =>
        bytes + jsonBytes(key) + sizeOf(gate) + (answer ? sizeOf(answer) : 4) + 40,
      2,
    ),
  goals: ({ goals }) => sizeOfList(goals),
};

/** Bytes of each part, in the terms of `BOUNDS`. */
export function partBytes(state: RunState): Record<keyof RunState, number> {
  const keys = Object.keys(BOUNDS) as (keyof RunState)[];
  const sizes = keys.map(key => [key, MEASURES[key]?.(state) ?? jsonBytes(state[key])]);
  return Object.fromEntries(sizes) as Record<keyof RunState, number>;
}

/** Bytes that the threads may take: what the other parts leave of the largest state. */
export function roomForThreads(state: RunState): number {
  const { threads: _threads, ...others } = partBytes(state);
  return MAX_STATE_BYTES - FRAME_BYTES - sum(Object.values(others));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
