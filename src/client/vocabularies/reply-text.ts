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

/** Which text is given: all, the words of a goal's answer, or none. */
type Gives = 'all' | 'answer' | 'nothing';

const NOTHING: Addition = { reset: false, text: '' };

/** What may be JSON for the run: the answer that is in it comes when the goal ends. */
const MAY_BE_JSON = /^\s*[{[`]/;

/** Of one call after the other: see `oneAtATime`. */
export class ReplyText {
  #call = '';
  #attempt = 1;
  #gives: Gives = 'all';
  /** The text that was given. */
  #given = '';
  #seen: Record<Channel, string> = { text: '', reasoning: '', tool_input: '' };

  /** What an event adds to the words of the answer, or to what is thought. */
  heard(event: RunEvent): Addition & { isThought?: true } {
    switch (event.type) {
      case 'model_call_started':
        this.started(event.callId, event.answers ? 'answer' : 'nothing');
        return NOTHING;
      case 'model_call_ended':
        return this.ended(event.text);
      case 'model_call_failed':
        return this.failed();
      case 'goal_ended':
        return this.answered(event.answer);
      case 'text':
        if (event.channel === 'tool_input') return NOTHING;
        return { ...this.add(event), ...(event.channel === 'reasoning' && { isThought: true }) };
      default:
        return NOTHING;
    }
  }

  started(callId: string, gives: Gives = 'all'): void {
    this.#call = callId;
    this.#gives = gives;
    this.#again(1);
  }

  /** Empty behind a hole, and for another call than the one at hand. */
  add({ callId, attempt, channel, offset, text }: Text): Addition {
    if (callId !== this.#call || attempt < this.#attempt) return NOTHING;
    const reset = attempt > this.#attempt && this.#hasGiven();
    if (attempt > this.#attempt) this.#again(attempt);
    const fresh = offset === this.#seen[channel].length ? text : '';
    this.#seen[channel] += fresh;
    return { reset, text: channel === 'text' ? this.#give() : fresh };
  }

  /** The call brought no reply: what came of it does not count. */
  failed(): Addition {
    const reset = this.#hasGiven();
    this.started('');
    return { reset, text: '' };
  }

  /**
   * The reply is whole: what of its text was not given yet; all of it where what was given is not how it begins.
   * Undefined where the run keeps it no more: what was given stands then.
   */
  ended(whole: string | undefined): Addition {
    this.#call = '';
    if (whole === undefined) return NOTHING;
    const reset = !whole.startsWith(this.#given);
    if (reset) this.#given = '';
    this.#seen.text = whole;
    return { reset, text: this.#give(true) };
  }

  /** A goal has its answer: what of it was not given as the last reply. */
  answered(answer: string): Addition {
    const given = this.#given.trim();
    this.started('');
    const at = given === '' ? -1 : answer.indexOf(given);
    const rest = at < 0 ? answer : answer.slice(at + given.length);
    return { reset: false, text: given === answer.trim() ? '' : rest };
  }

  /** What is known of a channel. */
  known(channel: Channel): string {
    return this.#seen[channel];
  }

  /** Blanks alone do not tell yet what the text becomes. */
  #give(whole = false): string {
    const { text } = this.#seen;
    const mayBeJson = MAY_BE_JSON.test(text) || (!whole && text.trim() === '');
    if (this.#gives === 'nothing' || (this.#gives === 'answer' && mayBeJson)) return '';
    const more = text.slice(this.#given.length);
    this.#given = text;
    return more;
  }

  #hasGiven(): boolean {
    return this.#given !== '' || this.#seen.reasoning !== '';
  }

  #again(attempt: number): void {
    this.#attempt = attempt;
    this.#given = '';
    this.#seen = { text: '', reasoning: '', tool_input: '' };
  }
}
