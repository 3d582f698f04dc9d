import type { Client } from '@temporalio/client';
import { type AssistantMessage, type Message, toolCallsOf } from '../../run/messages/message.js';
import type { JournalEvent } from '../../run/state/journal.js';
import {
  completeEvent,
  type FindsReply,
  type RunRecord,
  type StoredLine,
} from '../../run/state/stored-line.js';
import { MAIN_THREAD } from '../../run/state/thread.js';
import { type Trace, traceOf } from '../../run/state/trace.js';
import { SteersmanError } from '../../shared/process/errors.js';
import { deleteSession } from '../../shared/store/delete-session.js';
import { messagesOf, type SessionStore } from '../../shared/store/store.js';
import type { ReadableStore } from '../connection/client-scope.js';

export interface ThreadTranscript {
  thread: string;
  messages: Message[];
}

/** Removes a conversation, and with a `client` its runs in Temporal. */
export async function removeWhole(
  store: ReadableStore,
  id: string,
  client: Client | null,
): Promise<{ workflowIds: string[] }> {
  if ((await store.sessions.line(id)) === null) throw noSession(id);
  return deleteSession(store, id, { client });
}

export function noSession(id: string): SteersmanError {
  return new SteersmanError(`There is no conversation ${id} in the store.`, '', 'not_found');
}

export function noStore(): SteersmanError {
  return new SteersmanError(
    'This client has no store of conversations.',
    'Give it one: `connect({ store })`.',
    'configuration',
  );
}

const ALL = Number.POSITIVE_INFINITY;

/** Returns a run's messages in order, each with its thread. */
export function storedMessages(store: SessionStore, run: RunRecord): Promise<ThreadMessage[]> {
  return messagesOf(store, { run });
}

export type ThreadMessage = Pick<Extract<StoredLine, { kind: 'message' }>, 'thread' | 'message'>;

/** Groups messages by thread, the main thread first. */
export function inThreads(said: readonly ThreadMessage[]): ThreadTranscript[] {
  const threads = new Map<string, Message[]>();
  for (const { thread, message } of said) threads.set(thread, [...(threads.get(thread) ?? []), message]);
  const byName = [...threads].map(([thread, messages]) => ({ thread, messages }));
  return [
    ...byName.filter(({ thread }) => thread === MAIN_THREAD),
    ...byName.filter(({ thread }) => thread !== MAIN_THREAD),
  ];
}

/** Returns the stored run of this workflow id; `chain`: only that execution chain. Null if it is unknown. */
export async function findRecord(store: SessionStore, id: string, chain?: string): Promise<RunRecord | null> {
  const runs = await store.find(id);
  return runs.find(run => chain === undefined || run.chain === chain) ?? null;
}

/** Returns events after a number, with the complete texts of replies and the answer. */
export async function storedEvents(
  store: SessionStore,
  run: RunRecord,
  after: number,
): Promise<JournalEvent[]> {
  const events = await store.read(run, { kind: 'event', after, limit: ALL });
  return completeEvents(run, events, await storedMessages(store, run));
}

/** Completes events as the run itself sends them. */
export function completeEvents(
  run: RunRecord,
  events: readonly StoredLine[],
  said: readonly ThreadMessage[],
): JournalEvent[] {
  const replies = repliesIn(run, said);
  return events.flatMap(line => (line.kind === 'event' ? [completeEvent(line.event, replies)] : []));
}

function repliesIn({ number, answer }: RunRecord, messages: readonly ThreadMessage[]): FindsReply {
  const byId = new Map<string, AssistantMessage>();
  const byCall = new Map<string, AssistantMessage>();
  for (const { message } of messages) {
    if (message.kind !== 'assistant') continue;
    byId.set(message.id, message);
    for (const { id } of toolCallsOf(message)) byCall.set(id, message);
  }
  const answerTo = (goal: number) => (goal === number ? answer : null);
  return { byId: id => byId.get(id), byCall: id => byCall.get(id), answerTo };
}

export async function storedTrace(store: SessionStore, run: RunRecord): Promise<Trace> {
  const events = await store.read(run, { kind: 'event', limit: ALL });
  return traceOf(events.flatMap(line => (line.kind === 'event' ? [line.event] : [])));
}
