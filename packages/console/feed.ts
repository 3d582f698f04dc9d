/** Watches one run for all pages that show it: stores its events for pages that join later, and pushes new ones. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Frame } from '@steersman/view';
import { type CallInFlight, newProgress, type RunProgress, take } from '@steersman/view';
import { errorText } from 'steersman/base';
import { explainError, ownSeq, type Run, type RunEvent, type RunSnapshot } from 'steersman/client';

export type Push = (frame: Frame) => void;

/** The number of durable events kept in memory, for pages that reconnect. */
const MOST_EVENTS = 5_000;
/** Shortest time between state reads after events, and the longest time without a read. */
const SNAPSHOT_MS = 400;
const STALE_MS = 10_000;
/** Time until the next read after a failure, and while no worker answers. */
const AGAIN_MS = 2_000;

/** The methods of a run that a feed uses. */
export type FollowedRun = Pick<Run, 'id' | 'events' | 'show'>;

type TextEvent = Extract<RunEvent, { type: 'text' }>;

export class Feed {
  readonly #run: FollowedRun;
  readonly #pollMs: number | undefined;
  readonly #listeners = new Set<Push>();
  readonly #ending = new AbortController();
  /** Durable events of the run and its sub-agents, in the order of their arrival. */
  readonly #events: RunEvent[] = [];
  /** The partial texts of calls in flight. */
  readonly #progress = newProgress('');
  /** `seq` of the run's last event that is no longer stored. */
  #before = 0;
  #last = 0;
  #snapshot: RunSnapshot | null = null;
  #end: RunEvent | null = null;
  #timer: NodeJS.Timeout | undefined;
  #dueAt = Number.POSITIVE_INFINITY;
  #looking = false;
  #hurry = () => {};

  /** `pollMs`: time between looks at the run. Default: the client's own. */
  constructor(run: FollowedRun, pollMs?: number) {
    this.#run = run;
    this.#pollMs = pollMs;
    void this.#follow();
  }

  /**
   * Pushes all events after the run's event `since`, and all future ones; returns a function that ends this. `most`: the
   * most past events if `since` is 0. Default: all in memory.
   */
  listen(since: number, push: Push, most = MOST_EVENTS): () => void {
    for (const frame of this.#backlog(since, most)) push(frame);
    this.#listeners.add(push);
    return () => void this.#listeners.delete(push);
  }

  get isIdle(): boolean {
    return this.#listeners.size === 0;
  }

  /** Something was sent to the run: poll at once for its effect. */
  hurry(): void {
    this.#hurry();
  }

  close(): void {
    this.#ending.abort();
    clearTimeout(this.#timer);
  }

  *#backlog(since: number, most: number): Generator<Frame> {
    const run = this.#run.id;
    if (this.#snapshot) yield { type: 'snapshot', run, snapshot: this.#snapshot };
    const known = this.#events.findLastIndex(event => ownSeq(event) === since);
    const first = since === 0 ? Math.max(0, this.#events.length - most) : known + 1;
    for (const event of this.#events.slice(first)) yield { type: 'event', run, event };
    for (const event of textSoFar(this.#progress)) yield { type: 'event', run, event };
    const before = this.#events.slice(0, first).findLast(event => ownSeq(event) !== null);
    const from = ((before && ownSeq(before)) ?? this.#before) + 1;
    if (this.#isCaughtUp) yield { type: 'caught_up', run, from };
    if (this.#end) yield { type: 'event', run, event: this.#end };
  }

  get #isCaughtUp(): boolean {
    if (this.#snapshot === null) return false;
    // An ended run may have lost some of its events, so its end counts as caught up.
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

  /** Only the last events of a long run are read; after a failure the watch continues from its last event. */
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

  /** Schedules a read of the state. Reads never overlap, so an old state can't follow a newer one. */
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
    // Errors are ignored here: the event stream reports them, and gates must still be read.
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

/** Keeps the gates and the plan of a run while no worker answers. */
function withKnown(known: RunSnapshot, now: RunSnapshot): RunSnapshot {
  if (now.answered || now.endedAt !== null) return now;
  const { status, stuck, answered } = now;
  return { ...known, status, stuck, answered };
}

/** Returns one piece for each channel of a call, for pages that join in the middle. */
function textSoFar(progress: RunProgress): TextEvent[] {
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
