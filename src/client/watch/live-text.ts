/** What a watcher hears of the text of model calls: heartbeats and events in, new text out. Pure. */
import type { LiveText } from '../../run/limits/heartbeats.js';
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
      ? begun(known.by, { attempt, restarts, told: Math.max(attempt, known.told + 1) })
      : known;
    this.#calls.set(callId, call);
    const seen = call.ends[channel] ?? 0;
    const from = Math.max(offset, seen);
    const text = tail.slice(from - offset);
    if (text === '') return null;
    call.ends[channel] = from + text.length;
    const { from: begin, said } = call.heard[channel] ?? NOTHING_HEARD;
    call.heard[channel] = from > seen ? { from, said: text } : { from: begin, said: said + text };
    return { callId, ...call.by, attempt: call.told, channel, offset: from, text };
  }

  /** Takes note of an event. At the end of a call: the rest of its thinking and of its text, where there is any. */
  followed(event: JournalEvent): TextDelta[] {
    if (event.type === 'model_call_started') {
      const { callId, role, taskId, form } = event;
      this.#calls.set(callId, begun({ role, taskId, form }, { attempt: 1, restarts: 0, told: 1 }));
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
      const rest = restAfter(whole, call.heard[channel] ?? NOTHING_HEARD);
      const offset = call.ends[channel] ?? 0;
      return rest === '' ? [] : [{ callId, ...call.by, attempt: call.told, channel, offset, text: rest }];
    });
  }
}

interface HeardCall {
  by: Speaker;
  attempt: number;
  restarts: number;
  /** What a watcher is told as its attempt. */
  told: number;
  ends: Partial<Record<LiveChannel, number>>;
  /** Each channel as far as it came without a hole. */
  heard: Partial<Record<LiveChannel, HeardText>>;
}

interface HeardText {
  from: number;
  said: string;
}

const NOTHING_HEARD: HeardText = { from: 0, said: '' };

function begun(by: Speaker, count: Pick<HeardCall, 'attempt' | 'restarts' | 'told'>): HeardCall {
  return { by, ...count, ends: {}, heard: {} };
}

const BLANKS = /\s+/g;

/**
 * What of the whole reply was not heard yet. It is kept in blocks, whose words may stand further apart than they came.
 * Empty where what was heard is no part of it: the whole comes with the event.
 */
function restAfter(whole: string, { from, said }: HeardText): string {
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
