/** The text of one model call as it arrives, without holes: what live text leaves out comes with the whole reply. */
import type { RunEvent } from '../watch/run-event.js';

type Text = Extract<RunEvent, { type: 'text' }>;
type Channel = Text['channel'];

/** What a piece of live text adds. */
export interface Addition {
  /** The call was started again: what came of it before does not count. */
  reset: boolean;
  text: string;
}

/** Of one call after the other: see `oneAtATime`. */
export class ReplyText {
  #call = '';
  #attempt = 1;
  #seen: Record<Channel, string> = { text: '', reasoning: '', tool_input: '' };

  started(callId: string): void {
    this.#call = callId;
    this.#again(1);
  }

  /** Empty behind a hole, and for another call than the one at hand. */
  add({ callId, attempt, channel, offset, text }: Text): Addition {
    if (callId !== this.#call || attempt < this.#attempt) return { reset: false, text: '' };
    const before = Object.values(this.#seen).some(seen => seen !== '');
    const reset = attempt > this.#attempt && before;
    if (attempt > this.#attempt) this.#again(attempt);
    const fresh = offset === this.#seen[channel].length ? text : '';
    this.#seen[channel] += fresh;
    return { reset, text: fresh };
  }

  /** The call brought no reply: what came of it does not count. */
  failed(): Addition {
    const reset = Object.values(this.#seen).some(seen => seen !== '');
    this.started('');
    return { reset, text: '' };
  }

  /**
   * The reply is whole: what of its text was not given yet; all of it where what was given is not how it begins.
   * Undefined where the run keeps it no more: what was given stands then.
   */
  ended(whole: string | undefined): Addition {
    this.#call = '';
    const given = this.#seen.text;
    if (whole === undefined) return { reset: false, text: '' };
    const reset = !whole.startsWith(given);
    this.#seen.text = whole;
    return { reset, text: reset ? whole : whole.slice(given.length) };
  }

  /** What is known of a channel. */
  known(channel: Channel): string {
    return this.#seen[channel];
  }

  #again(attempt: number): void {
    this.#attempt = attempt;
    this.#seen = { text: '', reasoning: '', tool_input: '' };
  }
}
