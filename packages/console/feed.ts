/** One watcher of one run, however many pages look at it: what it has told, for who comes late, and what is new. */
import { setTimeout as delay } from 'node:timers/promises';
import { type CallInFlight, newProgress, type RunProgress, take } from '@steersman/view';
import { errorText } from 'steersman/base';
import { explainError, type Run, type RunEvent, type RunSnapshot } from 'steersman/client';
import type { Frame } from './api.js';

export type Push = (frame: Frame) => void;

/** Durable events that are kept at hand, for pages that come back. */
const MOST_EVENTS = 5_000;
/** The state is read again at most so often after events, and so long after the last look whatever happens. */
const SNAPSHOT_MS = 400;
const STALE_MS = 10_000;
/** After a failure to read the run, and while no worker tells of it. */
const AGAIN_MS = 2_000;

/** What is used of a run. */
export type FollowedRun = Pick<Run, 'id' | 'events' | 'show'>;

type TextEvent = Extract<RunEvent, { type: 'text' }>;

export class Feed {
  readonly #run: FollowedRun;
  readonly #pollMs: number | undefined;
  readonly #listeners = new Set<Push>();
  readonly #ending = new AbortController();
  /** Durable ones, of the run and its sub-agents, as they were told. */
  readonly #events: RunEvent[] = [];
  /** What the calls in flight have said so far. */
  readonly #progress = newProgress('');
  /** Number of the own event before the first that is kept. */
  #before = 0;
  #last = 0;
  #snapshot: RunSnapshot | null = null;
  #end: RunEvent | null = null;
  #timer: NodeJS.Timeout | undefined;
  #dueAt = Number.POSITIVE_INFINITY;
  #looking = false;
  #hurry = () => {};

  /** `pollMs`: between looks at the run; default: the client's own. */
  constructor(run: FollowedRun, pollMs?: number) {
    this.#run = run;
    this.#pollMs = pollMs;
    void this.#follow();
  }

  /**
   * Tells all that came after the own event `since`, and all that comes; gives what ends that. `most`: where `since` is 0,
   * so many events, the last; default: all at hand.
   */
  listen(since: number, push: Push, most = MOST_EVENTS): () => void {
    for (const frame of this.#told(since, most)) push(frame);
    this.#listeners.add(push);
    return () => void this.#listeners.delete(push);
  }

  get isIdle(): boolean {
    return this.#listeners.size === 0;
  }

  /** Something was sent to the run: what comes of it is looked for at once. */
  hurry(): void {
    this.#hurry();
  }

  close(): void {
    this.#ending.abort();
    clearTimeout(this.#timer);
  }

  *#told(since: number, most: number): Generator<Frame> {
    const run = this.#run.id;
    if (this.#snapshot) yield { type: 'snapshot', run, snapshot: this.#snapshot };
    const known = this.#events.findLastIndex(event => ownSeq(event) === since);
    const first = since === 0 ? Math.max(0, this.#events.length - most) : known + 1;
    for (const event of this.#events.slice(first)) yield { type: 'event', run, event };
    for (const event of saidSoFar(this.#progress)) yield { type: 'event', run, event };
    const before = this.#events.slice(0, first).findLast(event => ownSeq(event) !== null);
    const from = ((before && ownSeq(before)) ?? this.#before) + 1;
    if (this.#isCaughtUp) yield { type: 'caught_up', run, from };
    if (this.#end) yield { type: 'event', run, event: this.#end };
  }

  get #isCaughtUp(): boolean {
    if (this.#snapshot === null) return false;
    // Of an ended run nobody may have all events any more.
    return this.#end !== null || this.#last >= (this.#snapshot.lastEventSeq ?? 0);
  }

  async #follow(): Promise<void> {
    const { signal } = this.#ending;
    while (!signal.aborted && this.#end === null) {
      try {
        await this.#begin();
        if (this.#isCaughtUp) this.#push({ type: 'caught_up', run: this.#run.id, from: this.#before + 1 });
        const sooner = () =>
          new Promise<void>(resolve => {
            this.#hurry = resolve;
          });
        const options = { ...(this.#pollMs !== undefined && { pollMs: this.#pollMs }), signal, sooner };
        for await (const event of this.#run.events({ ...options, since: this.#last })) this.#take(event);
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
    this.#lookIn(STALE_MS);
    if (!isFirst) return;
    this.#before = Math.max(0, (lastEventSeq ?? 0) - MOST_EVENTS);
    this.#last = this.#before;
  }

  #take(event: RunEvent): void {
    const wasCaughtUp = this.#isCaughtUp;
    if ('seq' in event) this.#keep(event);
    take(this.#progress, event);
    if (event.type === 'end') this.#end = event;
    this.#push({ type: 'event', run: this.#run.id, event });
    if (!wasCaughtUp && this.#isCaughtUp)
      this.#push({ type: 'caught_up', run: this.#run.id, from: this.#before + 1 });
    if ('seq' in event || event.type === 'end') this.#lookIn(SNAPSHOT_MS);
  }

  #keep(event: Extract<RunEvent, { seq: number }>): void {
    this.#last = ownSeq(event) ?? this.#last;
    this.#events.push(event);
    for (const old of this.#events.splice(0, Math.max(0, this.#events.length - MOST_EVENTS)))
      this.#before = ownSeq(old) ?? this.#before;
  }

  /** Looks at the state then, or before: one look at a time, so that an old one never comes after a new one. */
  #lookIn(ms: number): void {
    const dueAt = performance.now() + ms;
    if (dueAt >= this.#dueAt || this.#ending.signal.aborted) return;
    this.#dueAt = dueAt;
    if (!this.#looking) this.#setTimer();
  }

  #setTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#lookNow(), Math.max(0, this.#dueAt - performance.now()));
  }

  async #lookNow(): Promise<void> {
    this.#looking = true;
    this.#dueAt = Number.POSITIVE_INFINITY;
    // What fails is told by the events, which are read all the same; what waits is not to be missed for it.
    const isTold = await this.#look().then(
      ({ answered }) => answered,
      () => false,
    );
    this.#looking = false;
    if (this.#end === null) this.#lookIn(isTold ? STALE_MS : AGAIN_MS);
    if (this.#dueAt < Number.POSITIVE_INFINITY) this.#setTimer();
  }

  async #look(): Promise<RunSnapshot> {
    const now = await this.#run.show({ signal: this.#ending.signal });
    const snapshot = this.#snapshot ? withKnown(this.#snapshot, now) : now;
    this.#snapshot = snapshot;
    this.#push({ type: 'snapshot', run: this.#run.id, snapshot });
    return snapshot;
  }

  #push(frame: Frame): void {
    for (const listener of this.#listeners) listener(frame);
  }
}

/** While no worker tells of a run, its gates and its plan are what they were. */
function withKnown(known: RunSnapshot, now: RunSnapshot): RunSnapshot {
  if (now.answered || now.endedAt !== null) return now;
  const { status, stuck, answered } = now;
  return { ...known, status, stuck, answered };
}

function ownSeq(event: RunEvent): number | null {
  return 'seq' in event && event.path === undefined ? event.seq : null;
}

/** Who comes late hears what was said so far in one piece a channel. */
function saidSoFar(progress: RunProgress): TextEvent[] {
  const own = [...progress.calls].map(call => piecesOf(...call));
  const ofAgents = [...progress.children].flatMap(([path, { calls }]) =>
    [...calls].map(call => piecesOf(...call).map(piece => ({ ...piece, path }))),
  );
  return [...own, ...ofAgents].flat();
}

function piecesOf(callId: string, { role, taskId, form, heard }: CallInFlight): TextEvent[] {
  return (['reasoning', 'text', 'tool_input'] as const).flatMap(channel => {
    const { from: offset, text } = heard[channel];
    const piece = { callId, role, taskId, form, attempt: heard.attempt, channel, offset, text };
    return text === '' ? [] : [{ type: 'text' as const, ...piece }];
  });
}
