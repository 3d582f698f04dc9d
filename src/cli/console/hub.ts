/** What all pages share: one watcher a run, one look-out for what waits. */
import { explainError, type SteersmanClient } from '../../client/index.js';
import { errorText } from '../../core/text/error-text.js';
import type { StreamAsk } from './api.js';
import { Feed, type Push } from './feed.js';
import { Waiting } from './waiting.js';

/** A feed that nobody hears stays so long, for who reloads a page. */
const IDLE_MS = 30_000;

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
  async listen({ runs }: StreamAsk, push: Push): Promise<() => void> {
    const leave = [this.#waiting.listen(push)];
    const heard: Push = frame => {
      push(frame);
      if (frame.type === 'event' && /^gate_(opened|closed)$/.test(frame.event.type)) this.#waiting.look();
    };
    let open = true;
    for (const [run, { since }] of Object.entries(runs))
      this.#feedOf(run).then(
        feed => {
          if (!open) return;
          const end = feed.listen(since, heard);
          leave.push(() => {
            end();
            this.#leaveSoon(run, feed);
          });
        },
        error => push({ type: 'lost', run, message: explainError(error)?.message ?? errorText(error) }),
      );
    return () => {
      open = false;
      for (const end of leave) end();
    };
  }

  /** An answer was given: what waits is other now. */
  changed(): void {
    this.#waiting.look();
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
      return new Feed(await client.attach(id));
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
