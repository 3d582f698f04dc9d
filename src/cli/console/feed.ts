/** One watcher of one run, however many pages look at it: what it has told, for who comes late, and what is new. */
import { setTimeout as delay } from 'node:timers/promises';
import { explainError, type Run, type RunEvent, type RunSnapshot } from '../../client/index.js';
import { errorText } from '../../core/text/error-text.js';
import type { Frame } from './api.js';

export type Push = (frame: Frame) => void;

/** Durable events that are kept at hand; a page reads earlier ones on demand. */
const MOST_EVENTS = 5_000;
/** The state is read again at most so often. */
const SNAPSHOT_MS = 400;
/** After a failure to read the run. */
const AGAIN_MS = 2_000;

/** What is used of a run. */
export type FollowedRun = Pick<Run, 'id' | 'events' | 'show'>;

type TextEvent = Extract<RunEvent, { type: 'text' }>;

export class Feed {
  readonly #run: FollowedRun;
  readonly #listeners = new Set<Push>();
  readonly #ending = new AbortController();
  /** Durable ones, of the run and its sub-agents, as they were told. */
  readonly #events: RunEvent[] = [];
  /** What the calls in flight have said so far, by path, call and channel. */
  readonly #texts = new Map<string, TextEvent>();
  /** Number of the own event before the first that is kept. */
  #before = 0;
  #last = 0;
  #snapshot: RunSnapshot | null = null;
  #end: RunEvent | null = null;
  #timer: NodeJS.Timeout | null = null;

  constructor(run: FollowedRun) {
    this.#run = run;
    void this.#follow();
  }

  /** Tells all that came after the own event `since`, and all that comes; gives what ends that. */
  listen(since: number, push: Push): () => void {
    for (const frame of this.#told(since)) push(frame);
    this.#listeners.add(push);
    return () => void this.#listeners.delete(push);
  }

  get isIdle(): boolean {
    return this.#listeners.size === 0;
  }

  close(): void {
    this.#ending.abort();
    if (this.#timer) clearTimeout(this.#timer);
  }

  *#told(since: number): Generator<Frame> {
    const run = this.#run.id;
    if (this.#snapshot) yield { type: 'snapshot', run, snapshot: this.#snapshot };
    const known = this.#events.findLastIndex(event => ownSeq(event) === since);
    for (const event of this.#events.slice(known + 1)) yield { type: 'event', run, event };
    for (const event of this.#texts.values()) yield { type: 'event', run, event };
    if (this.#isCaughtUp) yield { type: 'caught_up', run, from: this.#before + 1 };
    if (this.#end) yield { type: 'event', run, event: this.#end };
  }

  get #isCaughtUp(): boolean {
    return this.#snapshot !== null && this.#last >= (this.#snapshot.lastEventSeq ?? 0);
  }

  async #follow(): Promise<void> {
    const { signal } = this.#ending;
    while (!signal.aborted && this.#end === null) {
      try {
        await this.#begin();
        if (this.#isCaughtUp) this.#push({ type: 'caught_up', run: this.#run.id, from: this.#before + 1 });
        for await (const event of this.#run.events({ since: this.#last, signal })) this.#take(event);
      } catch (error) {
        if (signal.aborted) return;
        const message = explainError(error)?.message ?? errorText(error);
        this.#push({ type: 'lost', run: this.#run.id, message });
      }
      if (this.#end === null) await delay(AGAIN_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Of a long run the last events are followed; a watch that failed goes on where it was. */
  async #begin(): Promise<void> {
    const isFirst = this.#snapshot === null;
    const { lastEventSeq } = await this.#look();
    if (!isFirst) return;
    this.#before = Math.max(0, (lastEventSeq ?? 0) - MOST_EVENTS);
    this.#last = this.#before;
  }

  #take(event: RunEvent): void {
    const wasCaughtUp = this.#isCaughtUp;
    if ('seq' in event) this.#keep(event);
    if (event.type === 'text') this.#hear(event);
    if (event.type === 'end') this.#end = event;
    this.#push({ type: 'event', run: this.#run.id, event });
    if (!wasCaughtUp && this.#isCaughtUp)
      this.#push({ type: 'caught_up', run: this.#run.id, from: this.#before + 1 });
    if ('seq' in event || event.type === 'end') this.#lookSoon();
  }

  #keep(event: Extract<RunEvent, { seq: number }>): void {
    this.#last = ownSeq(event) ?? this.#last;
    this.#events.push(event);
    if (event.type === 'model_call_ended' || event.type === 'model_call_failed')
      for (const channel of ['text', 'reasoning', 'tool_input'])
        this.#texts.delete(keyOf({ ...event, channel }));
    for (const old of this.#events.splice(0, Math.max(0, this.#events.length - MOST_EVENTS)))
      this.#before = ownSeq(old) ?? this.#before;
  }

  /** Who comes late hears what was said so far in one piece. */
  #hear(event: TextEvent): void {
    const known = this.#texts.get(keyOf(event));
    const goesOn = known && known.attempt === event.attempt && known.offset <= event.offset;
    const text = goesOn ? known.text.slice(0, event.offset - known.offset) + event.text : event.text;
    const offset = goesOn ? known.offset : event.offset;
    this.#texts.set(keyOf(event), { ...event, offset, text });
  }

  #lookSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      // What fails is told by the events, which are read all the same.
      this.#look().catch(() => undefined);
    }, SNAPSHOT_MS);
  }

  async #look(): Promise<RunSnapshot> {
    const snapshot = await this.#run.show({ signal: this.#ending.signal });
    this.#snapshot = snapshot;
    this.#push({ type: 'snapshot', run: this.#run.id, snapshot });
    return snapshot;
  }

  #push(frame: Frame): void {
    for (const listener of this.#listeners) listener(frame);
  }
}

function ownSeq(event: RunEvent): number | null {
  return 'seq' in event && event.path === undefined ? event.seq : null;
}

function keyOf({ path = '', callId, channel }: { path?: string; callId: string; channel: string }): string {
  return `${path} ${callId} ${channel}`;
}
