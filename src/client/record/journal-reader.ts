/** Reads a run's journal from its start, or after a known event, through all its segments. */
import type { JournalEvent } from '../../run/state/journal.js';
import type { EventsPage } from '../../workflows/run/definitions.js';
import { isFinalQueryError } from '../connection/grpc-errors.js';

/** Queries a segment of the run for its events after `since`. */
export type AskEvents = (runId: string, since: number) => Promise<EventsPage>;

interface PartPage {
  runId: string;
  page: EventsPage;
}

/** The stored events of a journal. */
export interface StoredJournal {
  events: JournalEvent[];
  /** True if the run has ended, and the last of these events is its last. */
  isWhole: boolean;
}

const NOTHING_KEPT: StoredJournal = { events: [], isWhole: false };

export interface JournalNews {
  /** Events in order, without repetition. */
  events: JournalEvent[];
  /** Number of events that neither a segment nor the store has. */
  lost: number;
}

export class JournalReader {
  readonly #ask: AskEvents;
  #since: number;

  readonly #stored: (after: number) => Promise<StoredJournal>;

  /** `kept`: returns the stored events after an event. */
  constructor(
    ask: AskEvents,
    since = 0,
    kept: (after: number) => Promise<StoredJournal> = async () => NOTHING_KEPT,
  ) {
    this.#ask = ask;
    this.#stored = kept;
    this.#since = since;
  }

  /**
   * Returns all unread events from the segment `runId` and those before it. Rejects if that segment can't be queried;
   * then no event counts as read.
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

  /** Returns the store's unread events, for a run that no worker may answer for. A failing store counts as empty. */
  async readKept(): Promise<JournalNews & { isWhole: boolean }> {
    const { events, isWhole } = await this.#stored(this.#since).catch(() => NOTHING_KEPT);
    const news: JournalNews = { events: [], lost: 0 };
    this.#since = added(news, events, this.#since);
    return { ...news, isWhole: isWhole && news.lost === 0 };
  }

  /** Returns the segments with unread events, oldest first, each with its first page. */
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

  /**
   * Returns the stored events up to the first gap, whose events an earlier segment may have. A failing store counts
   * as empty.
   */
  async #keptAfter(since: number): Promise<JournalEvent[]> {
    const { events: kept } = await this.#stored(since).catch(() => NOTHING_KEPT);
    const gap = kept.findIndex(({ seq }, index) => seq !== since + 1 + index);
    return gap < 0 ? kept : kept.slice(0, gap);
  }

  /** Returns null if the server has deleted an earlier segment, or it no longer replays: then its events are lost. */
  async #askEarlier(runId: string, since: number): Promise<EventsPage | null> {
    try {
      return await this.#ask(runId, since);
    } catch (error) {
      if (isFinalQueryError(error)) return null;
      throw error;
    }
  }
}

/** Adds events after `since` to the news; returns the number of the last. */
function added(news: JournalNews, events: readonly JournalEvent[], since: number): number {
  let last = since;
  for (const event of events) {
    news.lost += event.seq - last - 1;
    news.events.push(event);
    last = event.seq;
  }
  return last;
}
