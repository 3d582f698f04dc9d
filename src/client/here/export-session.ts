/** A conversation as data for other systems: each message or event has one of seven types. Pure. */

import type { Message } from '../../run/messages/message.js';
import type { JournalEvent, JournalType } from '../../run/state/journal.js';
import type { RunRecord } from '../../run/state/stored-line.js';
import type { SessionLine } from '../../shared/store/store.js';
import type { ThreadMessage } from '../stored/stored-runs.js';

/** Models receive the first four types (a summary as a user's text), never the others. */
export const MESSAGE_TYPES = [
  'USER',
  'ASSISTANT',
  'TOOL_RESULT',
  'SUMMARY',
  'CONTEXT_NOTE',
  'SYSTEM_EVENT',
  'TOOL_LOG',
] as const;
export type MessageType = (typeof MESSAGE_TYPES)[number];

export type ExportedMessage =
  | { type: MessageType; at: number; thread: string; message: Message }
  | { type: MessageType; at: number; event: JournalEvent };

export interface ExportedSession {
  session: SessionLine | null;
  runs: { run: RunRecord; messages: ExportedMessage[] }[];
}

/** Returns messages and events in order of time; of the same moment, messages come first. */
export function exported(said: readonly ThreadMessage[], events: readonly JournalEvent[]): ExportedMessage[] {
  const messages: ExportedMessage[] = [
    ...said.map(({ thread, message }) => ({ type: typeOf(message), at: message.at, thread, message })),
    ...events.map(event => ({ type: typeOfEvent(event.type), at: event.at, event })),
  ];
  return messages.sort((a, b) => a.at - b.at);
}

function typeOf(message: Message): MessageType {
  switch (message.kind) {
    case 'user':
      return message.purpose === 'summary' ? 'SUMMARY' : 'USER';
    case 'assistant':
      return 'ASSISTANT';
    case 'tool_result':
      return 'TOOL_RESULT';
    case 'cut':
      return 'CONTEXT_NOTE';
  }
}

/** Events that changed the content sent to a model, or the model. */
const NOTES: ReadonlySet<JournalType> = new Set<JournalType>([
  'thread_trimmed',
  'thread_compacted',
  'thread_transformed',
  'provider_switch',
  'context_note',
]);

function typeOfEvent(type: JournalType): MessageType {
  if (type.startsWith('tool_')) return 'TOOL_LOG';
  return NOTES.has(type) ? 'CONTEXT_NOTE' : 'SYSTEM_EVENT';
}
