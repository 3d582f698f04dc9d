/** What one model call says and thinks as it arrives, without holes: what live text leaves out comes with the reply. */
import { heardMore } from '../../run/limits/heartbeats.js';
import type { RunEvent } from '../watch/run-event.js';

type Text = Extract<RunEvent, { type: 'text' }>;
type Ended = Extract<RunEvent, { type: 'model_call_ended' }>;
type Channel = Text['channel'];

/** What an event adds. `reset`: what came of the call before does not count. */
export type Addition = { kind: 'reset' } | { kind: 'thought' | 'words'; text: string };

/** Which text is given: all, the words of a goal's answer, or none. */
type Gives = 'all' | 'answer' | 'nothing';

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

  /** Whether words beside tool calls are thoughts. */
  readonly #thinksAloud: boolean;

  constructor({ thinksAloud = false } = {}) {
    this.#thinksAloud = thinksAloud;
  }

  /** What an event adds to the words of the answer, and to what is thought. */
  heard(event: RunEvent): Addition[] {
    switch (event.type) {
      case 'model_call_started':
        this.started(event.callId, event.answers ? 'answer' : 'nothing');
        return [];
      case 'model_call_ended':
        return this.ended(event);
      case 'model_call_failed':
        return this.failed();
      case 'goal_ended':
        return this.#answered(event.answer);
      case 'text':
        return this.add(event);
      default:
        return [];
    }
  }

  started(callId: string, gives: Gives = 'all'): void {
    this.#call = callId;
    this.#gives = gives;
    this.#again(1);
  }

  /** Empty behind a hole, and for another call than the one at hand. */
  add({ callId, attempt, channel, offset, text }: Text): Addition[] {
    if (callId !== this.#call || attempt < this.#attempt) return [];
    const reset = attempt > this.#attempt && this.#hasGiven();
    if (attempt > this.#attempt) this.#again(attempt);
    const seen = this.#seen[channel];
    const { from, text: whole } = heardMore({ from: 0, text: seen }, { offset, text });
    const fresh = from === 0 ? whole.slice(seen.length) : '';
    this.#seen[channel] += fresh;
    const more = channel === 'text' ? words(this.#give()) : thought(channel === 'reasoning' ? fresh : '');
    return [...(reset ? [RESET] : []), ...more];
  }

  /** The call brought no reply: what came of it does not count. */
  failed(): Addition[] {
    const reset = this.#hasGiven();
    this.started('');
    return reset ? [RESET] : [];
  }

  /**
   * The reply is whole: what of it was not given yet; all of it where what was given is not how it begins, or is no
   * answer. Nothing where the run keeps it no more: what was given stands then.
   */
  ended({ text: whole, reasoning = this.#seen.reasoning, toolCalls }: Ended): Addition[] {
    this.#call = '';
    if (whole === undefined) return [];
    const isAside = this.#thinksAloud && toolCalls > 0;
    const reset = !whole.startsWith(this.#given) || (isAside && this.#given !== '');
    if (reset) this.#given = '';
    const seen = reset ? '' : this.#seen.reasoning;
    this.#seen = { ...this.#seen, text: whole, reasoning };
    const unsaid = reasoning.startsWith(seen) ? reasoning.slice(seen.length) : '';
    const aside = MAY_BE_JSON.test(whole) ? '' : whole;
    return [
      ...(reset ? [RESET] : []),
      ...thought(unsaid),
      ...(isAside ? thought(aside) : words(this.#give(true))),
    ];
  }

  /** A goal has its answer: what of it was not given as the last reply. */
  #answered(answer: string): Addition[] {
    const given = this.#given.trim();
    this.started('');
    const at = given === '' ? -1 : answer.indexOf(given);
    const rest = at < 0 ? answer : answer.slice(at + given.length);
    return words(given === answer.trim() ? '' : rest);
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

const RESET: Addition = { kind: 'reset' };

function words(text: string): Addition[] {
  return text === '' ? [] : [{ kind: 'words', text }];
}

function thought(text: string): Addition[] {
  return text === '' ? [] : [{ kind: 'thought', text }];
}
