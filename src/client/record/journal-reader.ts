/** Reads a run's journal from its beginning, or after an event that is known, through the parts that it continued as new from. */
import type { JournalEvent } from '../../run/state/journal.js';
import type { EventsPage } from '../../workflows/run/definitions.js';
import { isFinalQueryError } from '../connection/grpc-errors.js';

/** Asks one part of the run for its events after `since`. */
export type AskEvents = (runId: string, since: number) => Promise<EventsPage>;

interface PartPage {
  runId: string;
  page: EventsPage;
}

/** What the store has of a journal. */
export interface KeptJournal {
  events: JournalEvent[];
  /** The run has ended, and the last of these is its last. */
  isWhole: boolean;
}

const NOTHING_KEPT: KeptJournal = { events: [], isWhole: false };

export interface JournalNews {
  /** In order, each once. */
  events: JournalEvent[];
  /** Events that no part keeps any more. */
  lost: number;
}

export class JournalReader {
  readonly #ask: AskEvents;
  #since: number;

  readonly #kept: (after: number) => Promise<KeptJournal>;

  /** `kept`: what the store has after an event. */
  constructor(
    ask: AskEvents,
    since = 0,
    kept: (after: number) => Promise<KeptJournal> = async () => NOTHING_KEPT,
  ) {
    this.#ask = ask;
    this.#kept = kept;
    this.#since = since;
  }

  /**
   * All events that were not read before, as the part `runId` and those before it tell them. Rejects when the
   * part can't be asked; then nothing counts as read.
   */
  async read(runId: string): Promise<JournalNews> {
    const first = await this.#ask(runId, this.#since);
    const kept = first.missed > 0 ? await this.#keptAfter(this.#since) : [];
    const news: JournalNews = { events: [...kept], lost: 0 };
    let since = kept.at(-1)?.seq ?? this.#since;
    const page = kept.length > 0 ? await this.#ask(runId, since) : first;
    for (const part of await this.#segmentsBackFrom({ runId, page }, since)) {
      for (let page: EventsPage = part.page; ; page = await this.#ask(part.runId, since)) {
        const fresh = page.events.filter(event => event.seq > since);
        since = added(news, fresh, since);
        if (fresh.length === 0 || !page.more) break;
      }
    }
    this.#since = since;
    return news;
  }

  /** The store's events that were not read before: for a run that no worker may tell. A store that fails has none. */
  async readKept(): Promise<JournalNews & { isWhole: boolean }> {
    const { events, isWhole } = await this.#kept(this.#since).catch(() => NOTHING_KEPT);
    const news: JournalNews = { events: [], lost: 0 };
    this.#since = added(news, events, this.#since);
    return { ...news, isWhole: isWhole && news.lost === 0 };
  }

  /** The parts that hold what was not read, oldest first, each with its first page. */
  async #segmentsBackFrom(last: PartPage, since: number): Promise<PartPage[]> {
    const parts = [last];
    for (;;) {
      const [{ page } = { page: null }] = parts;
      if (!page || page.missed === 0 || page.previousRunId === null) return parts;
      const earlier = await this.#askEarlier(page.previousRunId, since);
      if (earlier === null) return parts;
      parts.unshift({ runId: page.previousRunId, page: earlier });
    }
  }

  /** As far as there is no gap: what comes behind one an earlier part may tell. A store that fails has nothing. */
  async #keptAfter(since: number): Promise<JournalEvent[]> {
    const { events: kept } = await this.#kept(since).catch(() => NOTHING_KEPT);
    const gap = kept.findIndex(({ seq }, index) => seq !== since + 1 + index);
    return gap < 0 ? kept : kept.slice(0, gap);
  }

  /** An earlier segment may be gone from the server, or no longer replay: then its events are lost. */
  async #askEarlier(runId: string, since: number): Promise<EventsPage | null> {
    try {
      return await this.#ask(runId, since);
    } catch (error) {
      if (isFinalQueryError(error)) return null;
      throw error;
    }
  }
}

/** Adds events after `since` to the news; gives the number of the last. */
function added(news: JournalNews, events: readonly JournalEvent[], since: number): number {
  let last = since;
  for (const event of events) {
    news.lost += event.seq - last - 1;
    news.events.push(event);
    last = event.seq;
  }
  return last;
}
