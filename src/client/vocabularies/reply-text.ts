/** Collects a model call's text and reasoning without gaps: parts that live text misses arrive with the complete reply. */
import { addPiece } from '../../run/limits/heartbeats.js';
import { isRoleForm } from '../../run/outputs/role-form.js';
import type { RunEvent } from '../watch/run-event.js';

type Text = Extract<RunEvent, { type: 'text' }>;
type Ended = Extract<RunEvent, { type: 'model_call_ended' }>;
type Channel = Text['channel'];

/** The addition of an event. `reset`: all earlier additions of the call are void. */
export type Addition = { kind: 'reset' } | { kind: 'thought' | 'words'; text: string };

/** Selects the text to return: all of it, only a goal's answer, or no text. */
type Gives = 'all' | 'answer' | 'nothing';

/** The text may be JSON for the run: its answer arrives when the goal ends. */
const MAY_BE_JSON = /^\s*[{[`]/;
/** The beginning of content for people. A component counts once its name is complete: some are forms of replies. */
const BEGINS_CONTENT =
  /^\s*(?:`{3}\w*\s+)?\{\s*(?:"content"\s*:\s*\[|"type"\s*:\s*"webcomponent"|(?:"type"\s*:\s*"component"\s*,\s*)?"component"\s*:\s*"[^"]*")/;

/** Handles one call after another: see `oneAtATime`. */
export class ReplyText {
  #call = '';
  #attempt = 1;
  #gives: Gives = 'all';
  /** The text that was returned. */
  #given = '';
  #seen: Record<Channel, string> = { text: '', reasoning: '', tool_input: '' };

  /** True if text next to tool calls counts as a thought. */
  readonly #thinksAloud: boolean;
  /** True if replies of all roles are returned, as they are written. */
  readonly #ofAll: boolean;

  constructor({ thinksAloud = false, ofAll = false } = {}) {
    this.#thinksAloud = thinksAloud;
    this.#ofAll = ofAll;
  }

  /** Returns the answer text and the reasoning that an event adds. */
  heard(event: RunEvent): Addition[] {
    switch (event.type) {
      case 'model_call_started':
        this.started(event.callId, this.#givesOf(event.answers === true));
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

  #givesOf(answers: boolean): Gives {
    if (this.#ofAll) return 'all';
    return answers ? 'answer' : 'nothing';
  }

  started(callId: string, gives: Gives = 'all'): void {
    this.#call = callId;
    this.#gives = gives;
    this.#again(1);
  }

  /** Returns an empty list after a gap, and for another call than the current one. */
  add({ callId, attempt, channel, offset, text }: Text): Addition[] {
    if (callId !== this.#call || attempt < this.#attempt) return [];
    const reset = attempt > this.#attempt && this.#hasGiven();
    if (attempt > this.#attempt) this.#again(attempt);
    const seen = this.#seen[channel];
    const { from, text: whole } = addPiece({ from: 0, text: seen }, { offset, text });
    const fresh = from === 0 ? whole.slice(seen.length) : '';
    this.#seen[channel] += fresh;
    const more = channel === 'text' ? words(this.#give()) : thought(channel === 'reasoning' ? fresh : '');
    return [...(reset ? [RESET] : []), ...more];
  }

  /** The call brought no reply: its earlier text is void. */
  failed(): Addition[] {
    const reset = this.#hasGiven();
    this.started('');
    return reset ? [RESET] : [];
  }

  /**
   * Handles the complete reply: returns its missing rest, or all of it after a reset if the returned text is not its
   * beginning, or is not an answer. Empty if the run no longer stores the reply: then the returned text remains valid.
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

  /** Handles a goal's answer: returns the part that the last reply did not have. */
  #answered(answer: string): Addition[] {
    const given = this.#given.trim();
    this.started('');
    const at = given === '' ? -1 : answer.indexOf(given);
    const rest = at < 0 ? answer : answer.slice(at + given.length);
    return words(given === answer.trim() ? '' : rest);
  }

  /** Returns the known text of a channel. */
  known(channel: Channel): string {
    return this.#seen[channel];
  }

  /** White space alone does not reveal yet if the text becomes JSON. */
  #give(whole = false): string {
    const { text } = this.#seen;
    const mayBeJson = MAY_BE_JSON.test(text) || (!whole && text.trim() === '');
    const isForRun = mayBeJson && !(BEGINS_CONTENT.test(text) && !isRoleForm(text));
    if (this.#gives === 'nothing' || (this.#gives === 'answer' && isForRun)) return '';
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
