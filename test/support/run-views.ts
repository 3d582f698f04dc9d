/** What a run says of itself, read by its queries: whole lists, not pages. */

import type { WorkflowHandle } from '@temporalio/client';
import { type WireMessage, wireText } from '../../packages/test-kit/model-server.js';
import type { Message } from '../../src/run/messages/message.js';
import type { JournalEvent, JournalType } from '../../src/run/state/journal.js';
import { askPatiently } from '../../src/shared/query-errors.js';
import type { RunResult } from '../../src/workflows/run/definitions.js';
import { eventsQuery, transcriptQuery } from '../../src/workflows/run/definitions.js';
import type { ChatRequest } from './endpoint/model.js';

/** The journal events that the run's last part still has. Asks again if a busy worker does not answer in time. */
export async function journalOf(handle: WorkflowHandle): Promise<JournalEvent[]> {
  const events: JournalEvent[] = [];
  for (;;) {
    const since = events.at(-1)?.seq ?? 0;
    const page = await askPatiently(() => handle.query(eventsQuery, since), { giveUpMs: 60_000 });
    if (page.events.length === 0) return events;
    events.push(...page.events);
  }
}

export type EventOf<T extends JournalType> = Extract<JournalEvent, { type: T }>;

/** The events of one type, oldest first. */
export async function eventsOf<T extends JournalType>(
  handle: WorkflowHandle,
  type: T,
): Promise<EventOf<T>[]> {
  return (await journalOf(handle)).filter((event): event is EventOf<T> => event.type === type);
}

/** The messages of a thread, the main one by default. */
export async function transcriptOf(handle: WorkflowHandle, thread = 'main'): Promise<Message[]> {
  const messages: Message[] = [];
  for (;;) {
    const page = await handle.query(transcriptQuery, thread, messages.length);
    if (page.length === 0) return messages;
    messages.push(...page);
  }
}

/** Texts of the tool messages that a request carries, in order. */
export function toolTexts(request: ChatRequest | undefined): string[] {
  return messagesOf(request, 'tool').map(wireText);
}

/** What the model server counted of requests. */
export function inputTokensOf(requests: readonly ChatRequest[]): number {
  return requests.reduce((sum, { cache }) => sum + (cache?.inputTokens ?? 0), 0);
}

export function messagesOf(request: ChatRequest | undefined, role: WireMessage['role']): WireMessage[] {
  return (request?.body.messages ?? []).filter(message => message.role === role);
}

/** A transcript without what differs from run to run: times. */
export function withoutTimes(messages: readonly Message[]): unknown[] {
  return messages.map(({ at: _, ...message }) => {
    if (message.kind !== 'tool_result') return message;
    return { ...message, content: message.content.map(block => ({ ...block, durationMs: 0 })) };
  });
}

/** The steps of a trace that called tools: replies that end a phase are steps too. */
export const toolSteps = (result: RunResult) =>
  result.trace.steps.filter(step => step.action.type === 'tool');
