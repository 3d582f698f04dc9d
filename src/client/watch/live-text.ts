/** What a watcher hears of the text of model calls: heartbeats and events in, new text out. Pure. */
import {
  beginHearing,
  endOf,
  type Heard,
  type HeardReply,
  hear,
  type LiveText,
} from '../../run/limits/heartbeats.js';
import type { JournalEvent, JournalPayloads } from '../../run/state/journal.js';

export type LiveChannel = LiveText['channel'];

/** Whose text it is, as the call's `model_call_started` says it. */
type Speaker = Pick<JournalPayloads['model_call_started'], 'role' | 'taskId' | 'form'>;

/** New text of a model call. `offset` is where it begins: beyond what came before it, some was not seen. */
export interface TextDelta extends Speaker {
  callId: string;
  /** From 1. A higher one than before: the call or its reply was begun again, and earlier text does not count. */
  attempt: number;
  channel: LiveChannel;
  /** Characters of this channel before `text`. */
  offset: number;
  text: string;
}

/** What one watcher has heard of the calls in flight. */
export class TextFollower {
  readonly #calls = new Map<string, HeardCall>();

  /** What a heartbeat adds; null for nothing. */
  heard({ callId, attempt, restarts = 0, channel, offset, tail }: LiveText): TextDelta | null {
    const known = this.#calls.get(callId);
    // A heartbeat can be older than the last events: text of a call that has ended is known already.
    if (known === undefined || attempt < known.attempt) return null;
    const isAgain = attempt > known.attempt || restarts > known.restarts;
    const call = isAgain
      ? { ...known, attempt, restarts, heard: beginHearing(Math.max(attempt, known.heard.attempt + 1)) }
      : known;
    this.#calls.set(callId, call);
    const from = Math.max(offset, endOf(call.heard[channel]));
    const text = tail.slice(from - offset);
    if (text === '') return null;
    const piece = { attempt: call.heard.attempt, channel, offset: from, text };
    call.heard = hear(call.heard, piece);
    return { callId, ...call.by, ...piece };
  }

  /** Takes note of an event. At the end of a call: the rest of its thinking and of its text, where there is any. */
  followed(event: JournalEvent): TextDelta[] {
    if (event.type === 'model_call_started') {
      const { callId, role, taskId, form } = event;
      const by = { role, taskId, form };
      this.#calls.set(callId, { by, attempt: 1, restarts: 0, heard: beginHearing() });
    }
    if (event.type === 'model_call_failed') this.#calls.delete(event.callId);
    if (event.type !== 'model_call_ended') return [];
    const { callId, text = '', reasoning = '' } = event;
    const call = this.#calls.get(callId);
    this.#calls.delete(callId);
    if (call === undefined) return [];
    const wholes = [
      { channel: 'reasoning', whole: reasoning },
      { channel: 'text', whole: text },
    ] as const;
    return wholes.flatMap(({ channel, whole }) => {
      const { attempt, [channel]: heard } = call.heard;
      const rest = restAfter(whole, heard);
      const offset = endOf(heard);
      return rest === '' ? [] : [{ callId, ...call.by, attempt, channel, offset, text: rest }];
    });
  }
}

interface HeardCall {
  by: Speaker;
  attempt: number;
  restarts: number;
  /** Its attempt is the one that a watcher is told. */
  heard: HeardReply;
}

const BLANKS = /\s+/g;

/**
 * What of the whole reply was not heard yet. It is kept in blocks, whose words may stand further apart than they came.
 * Empty where what was heard is no part of it: the whole comes with the event.
 */
function restAfter(whole: string, { from, text: said }: Heard): string {
  if (whole.startsWith(said, from)) return whole.slice(from + said.length);
  const before = whole.slice(0, from).replace(BLANKS, '').length;
  const words = said.replace(BLANKS, '');
  const at = whole.replace(BLANKS, '').indexOf(words, before);
  if (at < 0 || (from === 0 && at > 0)) return '';
  return afterWords(whole, at + words.length);
}

/** The text behind so many characters that are no blanks. */
function afterWords(text: string, count: number): string {
  let left = count;
  for (let at = 0; at < text.length; at += 1) {
    if (left === 0) return text.slice(at);
    if (text[at]?.trim() !== '') left -= 1;
  }
  return '';
}
