/**
 * What lines take from those above, for a run and its sub-agents: what is heard late of one of them is not told as
 * earlier, and every receipt has the words of its message.
 */
import type { JournalEvent } from '../../core/state/journal.js';

export class LineClock {
  #lastAt = 0;
  readonly #texts = new Map<string, string>();

  /** The event as its line tells it, with a time that is never before that of the line above. */
  shown<E extends JournalEvent>(event: E): E {
    this.#lastAt = Math.max(this.#lastAt, event.at);
    if (event.type !== 'receipt') return { ...event, at: this.#lastAt };
    const { id, text = this.#texts.get(id) } = event;
    if (text !== undefined) this.#texts.set(id, text);
    return { ...event, at: this.#lastAt, ...(text === undefined ? {} : { text }) };
  }
}
