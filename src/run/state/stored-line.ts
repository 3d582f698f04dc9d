/**
 * The part of a run that is stored outside Temporal: original messages and events, each once. A mark tells how far. Records that the run shortens before they are stored stay here until then.
 */

import { UNKEPT_BYTES } from '../../base/sizes/bounds.js';
import { countOver, sizeOf } from '../../base/sizes/sizes.js';
import type { Cause, Outcome } from '../limits/cause.js';
import {
  type AssistantMessage,
  type Message,
  reasoningOf,
  textOf,
  toolCallsOf,
  type Usage,
  writtenCall,
} from '../messages/message.js';
import type { ModeName } from '../position/modes.js';
import { endsStep, type Journal, type JournalEvent } from './journal.js';
import type { StoredTail } from './stored-tail.js';
import type { Thread, Threads } from './thread.js';

/** How far the records are covered: up to the message with this number in its id, and up to this event. */
export interface Mark {
  id: number;
  seq: number;
}

export const NOTHING_KEPT: Mark = { id: 0, seq: 0 };

/** One line of a conversation. Unique in its run: a message by its id, an event by `seq`. */
export type StoredLine =
  | { kind: 'message'; thread: string; message: Message }
  | { kind: 'event'; event: JournalEvent };

/** The original of a message that was shortened or dropped before it was stored. */
export interface Unkept {
  thread: string;
  message: Message;
}

/** The part of a run that is stored already. */
export interface Keeping {
  kept: Mark;
  /** The time since which the store refuses writes; null while it works. */
  keepFailedAt: number | null;
  /** Originals of messages that were shortened before they were stored: at most 40 KB. */
  unkept: Unkept[];
}

export function newKeeping(): Keeping {
  return { kept: NOTHING_KEPT, keepFailedAt: null, unkept: [] };
}

/** The part of a run's state that storing needs. */
interface StorableState {
  pinned: { keeps?: true } | null;
  lastId: number;
  threads: Threads;
  log: { journal: Journal } & Keeping;
}

/** Returns the workflow id of the `number`-th run of a conversation. */
export function idInSession(session: string, number: number): string {
  return number === 1 ? session : `${session}~${number}`;
}

/** Returns the number of a conversation's last run, sub-agents not counted; 0 without runs. */
export function lastNumberIn(session: string, runs: readonly Pick<RunRecord, 'workflowId'>[]): number {
  const numbers = runs.map(({ workflowId }) => {
    if (workflowId === session) return 1;
    const rest = workflowId.startsWith(`${session}~`) ? workflowId.slice(session.length + 1) : '';
    return /^\d{1,9}$/.test(rest) ? Number(rest) : 0;
  });
  return Math.max(0, ...numbers);
}

/** A run's present state, for lists and look-ups without its worker. */
export interface RunRecord {
  v: 1;
  /** An id that only this run has; workflow ids may be reused. */
  chain: string;
  /** The run's conversation; a sub-agent has its caller's. */
  session: string;
  workflowId: string;
  /** The current execution: another one may continue the run, or repeat a part of it. */
  runId: string;
  /** Earlier executions known to the store, newest first. */
  earlier?: string[];
  namespaceId: string;
  /** The current goal. */
  goal: string;
  mode: ModeName;
  workspace: string;
  /** The caller's workflow id, for a sub-agent. */
  parent?: string;
  /** The number of the current goal. */
  number: number;
  startedAt: number;
  changedAt: number;
  /** How the run, or its last goal, ended; null while a goal is pursued. */
  outcome: Outcome | null;
  cause: Cause | null;
  answer: string | null;
  /** Absent while a goal is pursued. */
  rest?: StoredTail;
  /** The run has ended: no line follows. */
  ended: boolean;
  /** The store got the end from the ended run's history, which can supply it again. */
  late?: true;
  usage: Usage;
  kept: Mark;
}

/** A page of records for the store of sessions, and the run's present state. */
export interface KeepPage {
  run: Omit<RunRecord, 'v' | 'namespaceId' | 'kept'>;
  records: StoredLine[];
  /** Records up to here are included. */
  kept: Mark;
  /** More records precede the requested mark: ask again from `kept`. */
  more: boolean;
}

/** Returns the mark of the run's latest records. */
export function markOf({ lastId, log: { journal } }: StorableState): Mark {
  return { id: lastId, seq: journal.lastSeq };
}

/** Zero for a message outside the conversation, such as a cut's note. */
export function messageNumber({ id }: Pick<Message, 'id'>): number {
  return /^m\d+$/.test(id) ? Number(id.slice(1)) : 0;
}

/** True if the message originates in this run; inherited messages are stored with their own run. */
function isOwn({ from }: Message): boolean {
  return from === undefined;
}

/** Returns the stored thread name; a branch copy uses its original's name. */
function nameOf({ id, branch }: Thread): string {
  return branch?.of ?? id;
}

/** Returns the run's records after one mark up to another: messages, then events, each in order. */
export function recordsBetween(state: StorableState, after: Mark, upTo: Mark): StoredLine[] {
  const { journal, unkept } = state.log;
  // Originals precede their shortened forms. Copies of a thread share messages.
  const byNumber = new Map<number, Unkept>();
  for (const { thread, message } of [...unkept, ...messagesOf(state)]) {
    const number = isOwn(message) ? messageNumber(message) : 0;
    if (number > after.id && number <= upTo.id && !byNumber.has(number))
      byNumber.set(number, { thread, message });
  }
  const inOrder = [...byNumber].sort(([a], [b]) => a - b);
  const events = journal.events.filter(({ seq }) => seq > after.seq && seq <= upTo.seq);
  return [
    ...inOrder.map(([, each]) => ({ kind: 'message' as const, ...each })),
    ...events.map(event => ({ kind: 'event' as const, event })),
  ];
}

function* messagesOf({ threads }: StorableState): Generator<Unkept> {
  for (const thread of Object.values(threads))
    for (const message of thread.messages) yield { thread: nameOf(thread), message };
}

/** Moves the mark on to a record that comes after it. */
export function markAfter(mark: Mark, record: StoredLine): Mark {
  return { ...mark, [record.kind === 'message' ? 'id' : 'seq']: numberOf(record) };
}

/** Returns a record's number among the records of its kind. */
export function numberOf(record: StoredLine): number {
  return record.kind === 'message' ? messageNumber(record.message) : record.event.seq;
}

export function isBehind(mark: Mark, of: Mark): boolean {
  return mark.id < of.id || mark.seq < of.seq;
}

/** The memo key that tells what the store lacks of an ended run: its end, or receipts that came later. */
export const UNKEPT = 'unkept';
export type Lack = 'end' | 'receipts';

/** Null if the run is open, is not stored at all, or is stored completely. */
export function lackAtEnd(state: StorableState): Lack | null {
  const { kept, journal } = state.log;
  const end = journal.events.findLast(({ type }) => type === 'run_ended');
  if (state.pinned?.keeps !== true || end === undefined || unkeptAtMost(state) === 0) return null;
  return end.seq > kept.seq ? 'end' : 'receipts';
}

/** Returns a record's size in bytes; content is measured only once. */
export function recordBytes(record: StoredLine): number {
  return record.kind === 'message' ? sizeOf(record.message) + 100 : sizeOf(record.event) + 40;
}

/**
 * Returns the maximum number of unstored messages and events; calls and gates use the same ids, so it may be less. Calls
 * and checks count twice: open runs of earlier code also stored a step of each, and replays store at the same places.
 */
export function unkeptAtMost(state: StorableState): number {
  const { kept, journal } = state.log;
  const now = markOf(state);
  const from = journal.events.findLastIndex(({ seq }) => seq <= kept.seq) + 1;
  const calls = journal.events.slice(from).filter(each => endsStep(each) && each.type !== 'output_read');
  return now.id - kept.id + now.seq - kept.seq + calls.length;
}

/**
 * Remembers unstored messages of a thread that are about to be shortened or dropped. Changes `state`.
 * @returns the number of messages that there was no room for: the store will lack them.
 */
export function rememberUnkept(state: StorableState, thread: Thread, next: readonly Message[]): number {
  if (state.pinned?.keeps !== true) return 0;
  const { log } = state;
  const stays = new Set(next);
  const known = new Set(log.unkept.map(({ message }) => message.id));
  const lost = thread.messages.filter(
    message =>
      isOwn(message) && messageNumber(message) > log.kept.id && !stays.has(message) && !known.has(message.id),
  );
  if (lost.length === 0) return 0;
  const all = [...log.unkept, ...lost.map(message => ({ thread: nameOf(thread), message }))];
  // The newest are dropped, because earlier ones have waited longer.
  const over = countOver([...all].reverse(), UNKEPT_BYTES);
  log.unkept = all.slice(0, all.length - over);
  return over;
}

/** Counts the events that were dropped before they were stored. */
export function lostEvents({ log: { kept, journal } }: StorableState): number {
  const first = journal.events[0]?.seq ?? journal.lastSeq + 1;
  return Math.max(0, first - kept.seq - 1);
}

/** Finds a reply by its own id, or by the id of one of its calls; and the answer to a goal by the goal's number. */
export interface FindsReply {
  byId(id: string): AssistantMessage | undefined;
  byCall(toolUseId: string): AssistantMessage | undefined;
  answerTo(goal: number): string | null | undefined;
}

/** Adds the complete texts to an event: answers, texts, reasoning and arguments, if they are found. */
export function completeEvent(event: JournalEvent, replies: FindsReply): JournalEvent {
  if (event.type === 'goal_ended')
    return { ...event, answer: replies.answerTo(event.number) ?? event.answer };
  if (event.type === 'model_call_ended') {
    const reply = replies.byId(event.messageId);
    if (!reply) return event;
    const calls = toolCallsOf(reply).map(writtenCall);
    return { ...event, text: textOf(reply), reasoning: reasoningOf(reply), calls };
  }
  if (event.type !== 'tool_call_started' || event.toolUseId === undefined || event.edited) return event;
  const reply = replies.byCall(event.toolUseId);
  const call = reply && toolCallsOf(reply).find(({ id }) => id === event.toolUseId);
  return call ? { ...event, arguments: writtenCall(call).arguments } : event;
}
