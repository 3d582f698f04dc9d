/** The times of lines, for a run and its sub-agents: what is heard late of one of them is not told as earlier. */
import type { JournalEvent } from '../../core/state/journal.js';

export class LineClock {
  #lastAt = 0;

  /** The event with the time that its line shows: never before that of the line above. */
  shown<E extends JournalEvent>(event: E): E {
    this.#lastAt = Math.max(this.#lastAt, event.at);
    return { ...event, at: this.#lastAt };
  }
}
