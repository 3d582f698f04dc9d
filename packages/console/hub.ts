/** What all pages share: one watcher a run, one look-out for what waits. */
import { setTimeout as delay } from 'node:timers/promises';
import { errorText } from 'steersman/base';
import { explainError, type SteersmanClient } from 'steersman/client';
import { isLoopback } from 'steersman/shared';
import type { StreamAsk } from './api.js';
import { Feed, type Push } from './feed.js';
import { Waiting } from './waiting.js';

/** Between looks at a run, where Temporal is on this machine. */
const LOCAL_POLL_MS = 100;
/** A feed that nobody hears stays so long, for who reloads a page. */
const IDLE_MS = 30_000;
/** After a failure to find a run, as while Temporal is away. */
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

  /** Tells what waits, and what happens in these runs; gives what ends that. */
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

  /** Joins the watcher of a run, as soon as there can be one. */
  async #join(run: string, listen: (feed: Feed) => () => void, push: Push, left: AbortSignal): Promise<void> {
    while (!left.aborted) {
      try {
        const feed = await this.#feedOf(run);
        const end = left.aborted ? () => {} : listen(feed);
        const leave = () => {
          end();
          this.#leaveSoon(run, feed);
        };
        if (left.aborted) leave();
        else left.addEventListener('abort', leave, { once: true });
        return;
      } catch (error) {
        const known = explainError(error);
        if (!left.aborted) push({ type: 'lost', run, message: known?.message ?? errorText(error) });
        if (known?.code === 'not_found') return;
        await delay(AGAIN_MS, undefined, { signal: left }).catch(() => undefined);
      }
    }
  }

  /** Something was sent to a run: what happens in it, and what waits, may be other now. */
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
