/** Shared by all pages: one watcher for each run, and one for all open gates. */
import { setTimeout as delay } from 'node:timers/promises';
import type { StreamAsk } from '@steersman/view';
import { errorText } from 'steersman/base';
import { explainError, type SteersmanClient } from 'steersman/client';
import { isLoopback, onAbort } from 'steersman/shared';
import { Feed, type Push } from './feed.js';
import { Waiting } from './waiting.js';

/** Time between looks at a run, if Temporal is on this machine. */
const LOCAL_POLL_MS = 100;
/** A feed without listeners is kept this long, for pages that reload. */
const IDLE_MS = 30_000;
/** Time until the next try after a failure to find a run, for example while Temporal is down. */
const AGAIN_MS = 2_000;

export class Hub {
  readonly #client: () => Promise<SteersmanClient>;
  readonly #waiting: Waiting;
  readonly #feeds = new Map<string, Promise<Feed>>();
  readonly #timers = new Map<string, NodeJS.Timeout>();

  constructor(client: () => Promise<SteersmanClient>) {
    this.#client = client;
    this.#waiting = new Waiting(client);
  }

  /** Pushes the open gates, and the events of these runs; returns a function that ends this. */
  async listen({ runs, most }: StreamAsk, push: Push): Promise<() => void> {
    const leaving = new AbortController();
    const heard: Push = frame => {
      push(frame);
      if (frame.type === 'event' && /^gate_(opened|closed)$/.test(frame.event.type)) this.#waiting.look();
    };
    const leave = this.#waiting.listen(push);
    for (const [run, { since }] of Object.entries(runs))
      void this.#join(run, feed => feed.listen(since, heard, most), push, leaving.signal);
    return () => {
      leave();
      leaving.abort();
    };
  }

  /** Joins the watcher of a run, and retries until the run can be found. */
  async #join(run: string, listen: (feed: Feed) => () => void, push: Push, left: AbortSignal): Promise<void> {
    while (!left.aborted) {
      try {
        const feed = await this.#feedOf(run);
        const end = left.aborted ? () => {} : listen(feed);
        onAbort(left, () => {
          end();
          this.#leaveSoon(run, feed);
        });
        return;
      } catch (error) {
        const known = explainError(error);
        if (!left.aborted) push({ type: 'lost', run, message: known?.message ?? errorText(error) });
        if (known?.code === 'not_found') return;
        await delay(AGAIN_MS, undefined, { signal: left }).catch(() => undefined);
      }
    }
  }

  /** Something was sent to a run: read its events and the open gates at once. */
  changed(run: string): void {
    this.#waiting.look();
    void this.#feeds.get(run)?.then(
      feed => feed.hurry(),
      () => undefined,
    );
  }

  close(): void {
    this.#waiting.close();
    for (const timer of this.#timers.values()) clearTimeout(timer);
    for (const feed of this.#feeds.values()) feed.then(known => known.close()).catch(() => undefined);
    this.#feeds.clear();
  }

  #feedOf(id: string): Promise<Feed> {
    clearTimeout(this.#timers.get(id));
    const known = this.#feeds.get(id) ?? this.#open(id);
    this.#feeds.set(id, known);
    return known;
  }

  async #open(id: string): Promise<Feed> {
    try {
      const client = await this.#client();
      return new Feed(await client.attach(id), isLoopback(client.address) ? LOCAL_POLL_MS : undefined);
    } catch (error) {
      this.#feeds.delete(id);
      throw error;
    }
  }

  #leaveSoon(id: string, feed: Feed): void {
    clearTimeout(this.#timers.get(id));
    const timer = setTimeout(() => {
      if (!feed.isIdle) return;
      feed.close();
      this.#feeds.delete(id);
      this.#timers.delete(id);
    }, IDLE_MS);
    this.#timers.set(id, timer);
  }
}
