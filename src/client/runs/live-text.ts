/** What a watcher hears of the text of model calls: heartbeats and events in, new text out. Pure. */
import type { LiveText } from '../../core/heartbeats.js';
import type { JournalEvent } from '../../core/journal.js';

export type LiveChannel = LiveText['channel'];

/** New text of a model call. `offset` is where it begins: beyond what came before it, some was not seen. */
export interface TextDelta {
  callId: string;
  /** From 1. A higher one than before: the call was started again, and earlier text does not count. */
  attempt: number;
  channel: LiveChannel;
  /** Characters of this channel before `text`. */
  offset: number;
  text: string;
}

/** What one watcher has heard of the calls in flight. */
export class TextFollower {
  readonly #calls = new Map<string, { attempt: number; ends: Partial<Record<LiveChannel, number>> }>();

  /** What a heartbeat adds; null for nothing. */
  heard({ callId, attempt, channel, offset, tail }: LiveText): TextDelta | null {
    const known = this.#calls.get(callId);
    // A heartbeat can be older than the last events: text of a call that has ended is known already.
    if (known === undefined || attempt < known.attempt) return null;
    const call = attempt > known.attempt ? { attempt, ends: {} as typeof known.ends } : known;
    this.#calls.set(callId, call);
    const seen = call.ends[channel] ?? 0;
    const from = Math.max(offset, seen);
    const text = tail.slice(from - offset);
    if (text === '') return null;
    call.ends[channel] = from + text.length;
    return { callId, attempt, channel, offset: from, text };
  }

  /** Takes note of an event. At the end of a call: the rest of its reply, where there is any. */
  followed(event: JournalEvent): TextDelta | null {
    if (event.type === 'model_call_started') this.#calls.set(event.callId, { attempt: 1, ends: {} });
    if (event.type === 'model_call_failed') this.#calls.delete(event.callId);
    if (event.type !== 'model_call_ended') return null;
    const { callId, text = '' } = event;
    const call = this.#calls.get(callId);
    this.#calls.delete(callId);
    const offset = call?.ends.text ?? 0;
    const rest = text.slice(offset);
    return call === undefined || rest === ''
      ? null
      : { callId, attempt: call.attempt, channel: 'text', offset, text: rest };
  }
}
