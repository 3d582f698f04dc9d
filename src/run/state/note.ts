/** Notes that an application adds to a run (G17): for people, kept with its events, and never shown to a model. */

import { isRecord, isText, ownValue } from '../../base/json/json.js';
import type { JournalPayloads } from './journal.js';

/** The event of each type of note. */
export const NOTE_EVENTS = {
  /** A fact about the context, such as "moved to the standard queue". */
  CONTEXT_NOTE: 'context_note',
  /** An event of the run, such as a limit of the application. */
  SYSTEM_EVENT: 'system_event',
  /** An act of one of the application's tools. */
  TOOL_LOG: 'tool_log',
} as const satisfies Record<string, keyof JournalPayloads>;

export interface Note {
  type: keyof typeof NOTE_EVENTS;
  /** At most 2,000 characters. */
  text: string;
}

const NOTE_CHARS = 2_000;

/** Returns a note as it is recorded; null if the value is not a note. */
export function readNote(value: unknown): Note | null {
  if (!isRecord(value) || !isText(value.type) || !isText(value.text)) return null;
  const isKnown = ownValue(NOTE_EVENTS, value.type) !== undefined;
  const text = value.text.trim();
  // The cast is safe: the type is a key of the events.
  return isKnown && text !== '' && text.length <= NOTE_CHARS
    ? { type: value.type as Note['type'], text }
    : null;
}

export const NOTE_WANTED = `A note is { "type", "text" }: one of ${Object.keys(NOTE_EVENTS).join(', ')}, and 1 to ${NOTE_CHARS} characters.`;
