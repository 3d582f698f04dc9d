/**
 * The part of a run that is stored outside Temporal: original messages and events, each once. A mark tells how far. Records that the run shortens before they are stored stay here until then.
 */

import { isRecord, isText } from '../../base/json/json.js';
import { UNKEPT_BYTES } from '../../base/sizes/bounds.js';
import { countOver, sizeOf } from '../../base/sizes/sizes.js';
import type { Cause, Outcome } from '../limits/cause.js';
import {
  type AssistantMessage,
  isUsage,
  type Message,
  reasoningOf,
  saidCall,
  textOf,
  toolCallsOf,
  type Usage,
} from '../messages/message.js';
import type { ModeName } from '../position/modes.js';
import { endsStep, type Journal, type JournalEvent } from './journal.js';
import { isKeptRest, type KeptRest } from './kept-rest.js';
import type { Thread, Threads } from './thread.js';

/** Covers all records up to here: the number in a message's id, and an event's. */
export interface Mark {
  id: number;
  seq: number;
}

export const NOTHING_KEPT: Mark = { id: 0, seq: 0 };

/** One line of a conversation. Unique in its run: a message by its id, an event by `seq`. */
export type Kept =
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
interface KeptState {
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
  /** The id of this run alone; workflow ids may be reused. */
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
  rest?: KeptRest;
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
  records: Kept[];
  /** Records up to here are included. */
  kept: Mark;
  /** More records precede the requested mark: ask again from `kept`. */
  more: boolean;
}

/** Returns the mark of the run's latest records. */
export function markOf({ lastId, log: { journal } }: KeptState): Mark {
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
export function recordsBetween(state: KeptState, after: Mark, upTo: Mark): Kept[] {
  const { journal, unkept } = state.log;
  // Originals precede their shortened forms. Copies of a thread share messages.
  const said = new Map<number, Unkept>();
  for (const { thread, message } of [...unkept, ...messagesOf(state)]) {
    const number = isOwn(message) ? messageNumber(message) : 0;
    if (number > after.id && number <= upTo.id && !said.has(number)) said.set(number, { thread, message });
  }
  const inOrder = [...said].sort(([a], [b]) => a - b);
  const events = journal.events.filter(({ seq }) => seq > after.seq && seq <= upTo.seq);
  return [
    ...inOrder.map(([, each]) => ({ kind: 'message' as const, ...each })),
    ...events.map(event => ({ kind: 'event' as const, event })),
  ];
}

function* messagesOf({ threads }: KeptState): Generator<Unkept> {
  for (const thread of Object.values(threads))
    for (const message of thread.messages) yield { thread: nameOf(thread), message };
}

/** Moves the mark on to a record that comes after it. */
export function markAfter(mark: Mark, record: Kept): Mark {
  return { ...mark, [record.kind === 'message' ? 'id' : 'seq']: numberOf(record) };
}

/** Returns a record's number among those of its kind. */
export function numberOf(record: Kept): number {
  return record.kind === 'message' ? messageNumber(record.message) : record.event.seq;
}

export function isAfter(mark: Mark, record: Kept): boolean {
  return numberOf(record) > (record.kind === 'message' ? mark.id : mark.seq);
}

export function isBehind(mark: Mark, of: Mark): boolean {
  return mark.id < of.id || mark.seq < of.seq;
}

/** The number of earlier executions that are remembered: writes of older ones can't still be on their way. */
const EARLIER_EXECUTIONS = 10;

/** A run in the store after a write. */
interface WriteEffect {
  run: RunRecord;
  /** False: a later write of its execution came first. */
  isNews: boolean;
  /** Records after this mark no longer belong to the run. */
  resetTo: Mark | null;
}

/** Returns a write's effect; null if another execution replaced its own. Clocks don't decide: they may step back. */
export function writeEffect(before: RunRecord | null, run: RunRecord, after?: Mark): WriteEffect | null {
  if (before === null) return { run, isNews: true, resetTo: null };
  const { runId, earlier = [] } = before;
  if (runId === run.runId) {
    const known = earlier.length > 0 ? { earlier } : {};
    const isNews = isLater(run, before);
    return { run: isNews ? { ...run, ...known } : before, isNews, resetTo: null };
  }
  if (earlier.includes(run.runId)) return null;
  const resetTo = after && isBehind(after, before.kept) ? after : null;
  return {
    run: { ...run, earlier: [runId, ...earlier].slice(0, EARLIER_EXECUTIONS) },
    isNews: true,
    resetTo,
  };
}

/**
 * Returns the mark from which a run must be written again, if the store was restored to an earlier state and lacks
 * records before `after`; null if it lacks no records. `before`: the run as stored.
 */
export function missingAfter(before: RunRecord | null, after: Mark | undefined): Mark | null {
  const stored = before?.kept ?? NOTHING_KEPT;
  if (after === undefined || !isBehind(stored, after)) return null;
  const { id, seq } = stored;
  return { id: Math.min(id, after.id), seq: Math.min(seq, after.seq) };
}

/** Compares two states of one execution. */
function isLater(run: RunRecord, before: RunRecord): boolean {
  if (isBehind(run.kept, before.kept)) return false;
  if (isBehind(before.kept, run.kept)) return true;
  return run.ended === before.ended ? run.changedAt >= before.changedAt : run.ended;
}

/** The memo key that tells what the store lacks of an ended run: its end, or receipts that came later. */
export const UNKEPT = 'unkept';
export type Lack = 'end' | 'receipts';

/** Null if the run is open, is not stored at all, or is stored completely. */
export function lackAtEnd(state: KeptState): Lack | null {
  const { kept, journal } = state.log;
  const end = journal.events.findLast(({ type }) => type === 'run_ended');
  if (state.pinned?.keeps !== true || end === undefined || unkeptAtMost(state) === 0) return null;
  return end.seq > kept.seq ? 'end' : 'receipts';
}

/** Returns a record's size in bytes; content is measured only once. */
export function recordBytes(record: Kept): number {
  return record.kind === 'message' ? sizeOf(record.message) + 100 : sizeOf(record.event) + 40;
}

/**
 * Returns the maximum number of unstored messages and events; calls and gates use the same ids, so it may be less. Calls
 * and checks count twice: open runs of earlier code also stored a step of each, and replays store at the same places.
 */
export function unkeptAtMost(state: KeptState): number {
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
export function rememberUnkept(state: KeptState, thread: Thread, next: readonly Message[]): number {
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
export function lostEvents({ log: { kept, journal } }: KeptState): number {
  const first = journal.events[0]?.seq ?? journal.lastSeq + 1;
  return Math.max(0, first - kept.seq - 1);
}

/** Finds a reply by its own id, or by the id of one of its calls; and the answer to a goal by the goal's number. */
export interface FindsReply {
  byId(id: string): AssistantMessage | undefined;
  byCall(toolUseId: string): AssistantMessage | undefined;
  answerTo(goal: number): string | null | undefined;
}

/** Completes an event by what was said: answers, texts, reasoning and arguments in full, if they are found. */
export function eventWithSaid(event: JournalEvent, replies: FindsReply): JournalEvent {
  if (event.type === 'goal_ended')
    return { ...event, answer: replies.answerTo(event.number) ?? event.answer };
  if (event.type === 'model_call_ended') {
    const reply = replies.byId(event.messageId);
    if (!reply) return event;
    const calls = toolCallsOf(reply).map(saidCall);
    return { ...event, text: textOf(reply), reasoning: reasoningOf(reply), calls };
  }
  if (event.type !== 'tool_call_started' || event.toolUseId === undefined || event.edited) return event;
  const reply = replies.byCall(event.toolUseId);
  const call = reply && toolCallsOf(reply).find(({ id }) => id === event.toolUseId);
  return call ? { ...event, arguments: saidCall(call).arguments } : event;
}

// Validators: a store's content may come from another program or a later version.

export function isRunRecord(value: unknown): value is RunRecord {
  if (!isRecord(value)) return false;
  const { answer, outcome, cause, parent = '', earlier = [] } = value;
  const texts = ['chain', 'session', 'workflowId', 'runId', 'namespaceId', 'goal', 'mode', 'workspace'];
  return (
    texts.every(name => isText(value[name])) &&
    ['number', 'startedAt', 'changedAt'].every(name => Number.isFinite(value[name])) &&
    [answer, outcome, cause].every(each => each === null || isText(each)) &&
    isText(parent) &&
    Array.isArray(earlier) &&
    (value.rest === undefined || isKeptRest(value.rest)) &&
    typeof value.ended === 'boolean' &&
    isUsage(value.usage) &&
    isMark(value.kept)
  );
}

export function isMark(value: unknown): value is Mark {
  return isRecord(value) && [value.id, value.seq].every(Number.isSafeInteger);
}

export function isKept(value: unknown): value is Kept {
  if (!isRecord(value)) return false;
  const { kind, thread, message, event } = value;
  if (kind === 'message') return isText(thread) && isMessage(message);
  if (kind !== 'event' || !isRecord(event)) return false;
  return Number.isSafeInteger(event.seq) && isTime(event.at) && isText(event.type);
}

function isTime(value: unknown): boolean {
  return Number.isFinite(value);
}

function isMessage(value: unknown): value is Message {
  if (!isRecord(value) || !isText(value.id) || !isTime(value.at) || !Array.isArray(value.content))
    return false;
  const { kind, content } = value;
  if (kind === 'tool_result') return content.length === 1 && isResult(content[0]);
  if (kind === 'assistant')
    return isText(value.role) && isText(value.model) && isUsage(value.usage) && content.every(isReplyBlock);
  return (
    content.every(isTextBlock) &&
    ((kind === 'user' && isText(value.purpose)) || (kind === 'cut' && Number.isFinite(value.dropped)))
  );
}

function isTextBlock(block: unknown): boolean {
  return isRecord(block) && block.type === 'text' && isText(block.text);
}

function isReplyBlock(block: unknown): boolean {
  if (!isRecord(block)) return false;
  if (block.type === 'tool_use') return isText(block.id) && isText(block.name) && isRecord(block.input);
  return isTextBlock(block) || (block.type === 'reasoning' && isText(block.text));
}

function isResult(block: unknown): boolean {
  if (!isRecord(block) || block.type !== 'tool_result' || !Array.isArray(block.content)) return false;
  const names = [block.toolUseId, block.toolName, block.ending, block.note];
  return names.every(isText) && block.content.every(isToolContent);
}

function isToolContent(part: unknown): boolean {
  if (!isRecord(part)) return false;
  switch (part.type) {
    case 'text':
      return isText(part.text);
    case 'image':
      return isText(part.mimeType) && isText(part.ref);
    case 'resource':
      return isText(part.uri) && (part.text === undefined || isText(part.text));
    default:
      return part.type === 'json';
  }
}
