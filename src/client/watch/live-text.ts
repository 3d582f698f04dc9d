/** Computes the new text of model calls for a watcher from heartbeats and events. Pure. */
import {
  beginHearing,
  endOf,
  hear,
  type LiveText,
  type Received,
  type ReceivedReply,
} from '../../run/limits/heartbeats.js';
import type { JournalEvent, JournalPayloads } from '../../run/state/journal.js';

export type LiveChannel = LiveText['channel'];

/** The role and task of a text, from the call's `model_call_started`. */
type Speaker = Pick<JournalPayloads['model_call_started'], 'role' | 'taskId' | 'form'>;

/** New text of a model call. `offset` is its start: if that is beyond the earlier text, a part was missed. */
export interface TextDelta extends Speaker {
  callId: string;
  /** Counted from 1. A higher number than before: the call or its reply was restarted, and earlier text is void. */
  attempt: number;
  channel: LiveChannel;
  /** Number of characters of this channel before `text`. */
  offset: number;
  text: string;
}

/** The text of calls in flight that a watcher has received. */
export class TextFollower {
  readonly #calls = new Map<string, ReceivedCall>();

  /** Returns the addition of a heartbeat; null if it adds nothing. */
  heard({ callId, attempt, restarts = 0, channel, offset, tail }: LiveText): TextDelta | null {
    const known = this.#calls.get(callId);
    // A heartbeat can be older than the last events: text of an ended call is known already.
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

  /** Applies an event. At the end of a call, returns the remaining reasoning and text. */
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
      const rest = unreceivedPart(whole, heard);
      const offset = endOf(heard);
      return rest === '' ? [] : [{ callId, ...call.by, attempt, channel, offset, text: rest }];
    });
  }
}

interface ReceivedCall {
  by: Speaker;
  attempt: number;
  restarts: number;
  /** Its attempt number also counts restarts of the reply, as watchers see them. */
  heard: ReceivedReply;
}

const BLANKS = /\s+/g;

/**
 * Returns the part of the complete reply that was not received. It is stored in blocks, whose white space may differ
 * from the stream. Empty if the received text is not part of it: the event has the complete reply.
 */
function unreceivedPart(whole: string, { from, text: said }: Received): string {
  if (whole.startsWith(said, from)) return whole.slice(from + said.length);
  const before = whole.slice(0, from).replace(BLANKS, '').length;
  const words = said.replace(BLANKS, '');
  const at = whole.replace(BLANKS, '').indexOf(words, before);
  if (at < 0 || (from === 0 && at > 0)) return '';
  return afterWords(whole, at + words.length);
}

/** Returns the text after this number of non-blank characters. */
function afterWords(text: string, count: number): string {
  let left = count;
  for (let at = 0; at < text.length; at += 1) {
    if (left === 0) return text.slice(at);
    if (text[at]?.trim() !== '') left -= 1;
  }
  return '';
}
