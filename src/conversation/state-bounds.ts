/** The bound of each part of a run's state, and its present size: see `bounds.ts` for the numbers. */

import { jsonBytes } from '../base/json/json.js';
import * as most from '../base/sizes/bounds.js';
import { sizeOf, sizeOfList, sizeOfRecord } from '../base/sizes/sizes.js';
import { MOST_PARALLEL_TOOLS } from '../run/limits/limits.js';
import { LESSONS_BYTES } from '../run/models/lessons.js';
import { steeringAt } from '../run/state/cursor.js';
import type { RunState } from '../run/state/run-state.js';
import { sharedNow } from './branch-threads.js';

const NAME_BYTES = 500;
const NUMBER_BYTES = 40;
/** A failed call has no open calls: their answers may take its room. */
const TURNS_BYTES = most.EDITED_BYTES + most.FAILURE_BYTES + 1_000;
/** A position has its turns, and the largest of these: improvements of a plan, a text or answer, evidence of a verdict. */
const PLACE_BYTES =
  TURNS_BYTES +
  Math.max(
    most.ANSWER_BYTES,
    most.LOOKED_BYTES + most.CONCERNS_BYTES,
    most.QUESTION_BYTES +
      2 * most.CONCERNS_BYTES +
      most.IMPROVEMENTS_BYTES +
      most.READING_BYTES +
      most.BEGIN_BYTES,
  ) +
  2_000;
/** Messages that are being interpreted, without their texts, which the inbox counts. */
const STEERING_BYTES =
  TURNS_BYTES +
  2 * most.OPINION_BYTES +
  most.QUESTION_BYTES +
  most.CONCERNS_BYTES +
  most.GATE_ANSWER_BYTES +
  1_000;
const CONSULTATION_BYTES = TURNS_BYTES + most.INSTRUCTION_BYTES + 1_000;
const ANSWERED_BYTES = 3 * most.OPINION_BYTES + 1_000;

/** Parts with several owners: each of their fields has its own bound. */
type Divided = 'models' | 'tools' | 'people' | 'total' | 'log';

type Path = {
  [K in keyof RunState]: K extends Divided ? `${K}.${keyof RunState[K] & string}` : K;
}[keyof RunState];

/** The bound of each part. A new part or field needs an entry here and a check where it is written. */
export const BOUNDS: Record<Path, number> = {
  settings: most.SETTINGS_BYTES + most.KNOWN_MODELS_BYTES,
  pinned: most.PINNED_BYTES,
  limits: 600,
  startedAt: NUMBER_BYTES,
  segment: NUMBER_BYTES,
  previousRunId: NAME_BYTES,
  lastId: NUMBER_BYTES,
  goal:
    most.GOAL_TEXT_BYTES +
    most.USER_NOTES_BYTES +
    most.ANSWER_BYTES +
    most.APPROVED_CHECKS_BYTES +
    most.CHECK_RESULTS_BYTES +
    most.CHECKS_BEFORE_BYTES +
    most.EXCEPTIONS_BYTES +
    4_500,
  goals: most.GOALS_BYTES,
  idleSince: NUMBER_BYTES,
  /** Parallel branches share the room of further positions: see `roomOfBranch`. */
  cursor: PLACE_BYTES + STEERING_BYTES + CONSULTATION_BYTES + ANSWERED_BYTES + NAME_BYTES,
  /** The conversation's room if all other parts are full; otherwise it may use theirs too. */
  threads: 250_200,
  tasks: most.PLAN_BYTES + most.REPORTS_BYTES,
  'models.calls': 8_000,
  'models.chains': 4_000,
  'models.failed': 8_000,
  'models.chosen': most.CHOSEN_BYTES,
  'models.out': most.OUT_BYTES,
  'models.resolved': 4_000,
  'models.last': 4_000,
  'models.at': 4_000,
  'models.contextLimits': 4_000,
  /** At most 12 models: names of 90 bytes, and sums of up to 12 digits. */
  'models.inputCounts': 2_000,
  'models.retries': 100,
  'models.lessons': LESSONS_BYTES + 100,
  'tools.ledger': most.LEDGER_BYTES + 1_000,
  'tools.badCalls': 6_000,
  'tools.inFlight': MOST_PARALLEL_TOOLS * 60,
  'tools.sessions': most.SESSIONS_BYTES,
  'tools.listed': 100,
  'tools.effects': most.EFFECTS_BYTES,
  /** Includes the messages that are being understood. */
  'people.inbox': most.MESSAGES_BYTES + most.SEEN_IDS_BYTES + most.TAKEN_BACK_BYTES + 1_000,
  'people.gates': most.GATES_BYTES + most.GATE_ANSWER_BYTES + most.OTHER_ANSWERS_BYTES + 8_000,
  'people.closedGates': 4_000,
  'people.allowedTools': 16_000,
  'people.pausedAt': NUMBER_BYTES,
  'people.stop': 4_000,
  'people.finishing': NUMBER_BYTES,
  'total.usage': 400,
  'total.turns': NUMBER_BYTES,
  /** At most 17 entries: names of 100 bytes, and figures of up to 12 digits. */
  'total.usageBy': 6_600,
  children: most.CHILDREN_BYTES + 100,
  /** In addition to events: totals of tools. */
  'log.journal': most.JOURNAL_BYTES + 23_100,
  'log.storeFailed': NUMBER_BYTES,
  'log.kept': 100,
  'log.keepFailedAt': NUMBER_BYTES,
  'log.unkept': most.UNKEPT_BYTES + 10,
  /** Each slice has its own bound; together they may not exceed this. */
  features: most.FEATURES_BYTES,
  shown: 2_000,
  /** Set only after the last handover. */
  end: NUMBER_BYTES,
};

/** Keys of the parts, and the fields around a state in an input. */
const FRAME_BYTES = 4_000;

/** The maximum size of a state. */
export const MAX_STATE_BYTES = sum(Object.values(BOUNDS)) + FRAME_BYTES;

export function threadsBytes({ threads }: Pick<RunState, 'threads'>): number {
  // Messages that a copy shares with its thread are carried once.
  const carried = Object.values(threads).map(thread => thread.messages.slice(sharedNow(threads, thread)));
  return sum(carried.map(messages => sizeOfList(messages) + THREAD_FRAME_BYTES)) + 2;
}

const THREAD_FRAME_BYTES = 600;

type Measures = { [P in Path]?: (state: RunState) => number };

/** Growing parts are measured incrementally; the others are small. */
const MEASURES: Measures = {
  settings: ({ settings }) => sizeOf(settings),
  pinned: ({ pinned }) =>
    pinned === null
      ? NUMBER_BYTES
      : sum(Object.values(pinned).map(part => (isObject(part) ? sizeOf(part) : NUMBER_BYTES))) + 1_000,
  goals: ({ goals }) => sizeOfList(goals),
  cursor: ({ cursor }) => {
    const interrupts = cursor.interrupts.map(each =>
      each.phase === 'steering' ? { ...each, items: [] } : each,
    );
    return jsonBytes({ ...cursor, interrupts });
  },
  threads: state => threadsBytes(state),
  tasks: ({ tasks }) => sizeOfList(tasks),
  'tools.ledger': ({ tools }) => sizeOfRecord(tools.ledger.entries) + 100,
  'people.inbox': ({ people: { inbox }, cursor }) =>
    sizeOfList([...inbox.items, ...(steeringAt(cursor)?.items ?? [])]) +
    jsonBytes(inbox.seenIds) +
    jsonBytes(inbox.takenBackIds) +
    50,
  'people.gates': ({ people }) =>
    people.gates.reduce(
      (bytes, { key, gate, answer }) =>
        bytes + jsonBytes(key) + sizeOf(gate) + (answer ? sizeOf(answer) : 4) + 40,
      2,
    ),
  'log.journal': ({ log: { journal } }) => sizeOfList(journal.events) + jsonBytes(journal.usedTools) + 100,
  'log.unkept': ({ log }) => sizeOfList(log.unkept),
};

export function partBytes(state: RunState): Record<Path, number> {
  const paths = Object.keys(BOUNDS) as Path[];
  return Object.fromEntries(paths.map(path => [path, bytesOfPart(state, path)])) as Record<Path, number>;
}

function bytesOfPart(state: RunState, path: Path): number {
  return MEASURES[path]?.(state) ?? jsonBytes(partAt(state, path));
}

function partAt(state: RunState, path: Path): unknown {
  const [part = '', field] = path.split('.');
  const value: unknown = state[part as keyof RunState];
  // No globals are used, because each is slow in the workflow sandbox.
  return field !== undefined && isObject(value) ? (value as Readonly<Record<string, unknown>>)[field] : value;
}

/**
 * True if the threads exceed the room that the rest of the state leaves. No part exceeds its bound, so measuring ends as soon as
 * the parts measured so far leave enough: mostly after the first, which has the most room and never changes.
 */
export function mustShorten(state: RunState): boolean {
  let over = threadsBytes(state) - BOUNDS.threads;
  for (const path of MOST_ROOM_FIRST) {
    if (over <= 0) return false;
    over -= BOUNDS[path] - bytesOfPart(state, path);
  }
  return over > 0;
}

const MOST_ROOM_FIRST = (Object.keys(BOUNDS) as Path[])
  .filter(path => path !== 'threads')
  .sort((a, b) => BOUNDS[b] - BOUNDS[a]);

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
