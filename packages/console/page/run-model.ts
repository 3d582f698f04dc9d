/** The page's model of a run, folded from frames. Events that arrive twice count once. */
import { signal } from '@preact/signals';
import { newProgress, type RunProgress, take as takeProgress, takeState } from '@steersman/view';
import type { RunEvent, RunSnapshot } from 'steersman/client';
import type { Frame } from '../api.js';
import { get, runPath } from './ask.js';
import { type Durable, type Fold, newFold, takeItem } from './items.js';

export class RunModel {
  readonly id: string;
  /** Incremented at each change, so that components draw again. */
  readonly version = signal(0);
  readonly progress: RunProgress = newProgress('');
  /** Durable events in the order of their arrival. */
  events: Durable[] = [];
  fold: Fold = newFold();
  snapshot: RunSnapshot | null = null;
  /** Number of the first own event in memory; null until the stream has caught up. */
  from: number | null = null;
  /** The reason why the run can't be followed; else null. */
  lost: string | null = null;
  ended = false;
  /** Above this number of events, older ones are dropped. */
  #room = MOST_EVENTS;
  readonly #seen = new Map<string, number>();
  #frame = 0;

  constructor(id: string) {
    this.id = id;
  }

  /** Number of the run's last own event. */
  get lastSeq(): number {
    return this.#seen.get('') ?? 0;
  }

  take(frame: Extract<Frame, { run: string }>): void {
    if (frame.type === 'snapshot') {
      this.snapshot = frame.snapshot;
      takeState(this.progress, frame.snapshot);
    }
    if (frame.type === 'caught_up') this.from ??= frame.from;
    if (frame.type === 'event') this.#event(frame.event);
    this.lost = frame.type === 'lost' ? frame.message : null;
    this.#changed();
  }

  /** Reads events before the first one in memory. Throws the server's refusal. */
  async readEarlier(): Promise<void> {
    const { from } = this;
    if (from === null || from <= 1) return;
    const first = Math.max(1, from - EARLIER);
    const earlier: Durable[] = [];
    for (let since = first - 1; since < from - 1; ) {
      const page = await get<RunEvent[]>(runPath(this.id, `events?since=${since}`));
      const durable = page.filter((event): event is Durable => 'seq' in event);
      const last = durable.findLast(({ path }) => path === undefined)?.seq ?? since;
      earlier.push(...durable);
      if (last <= since) break;
      since = last;
    }
    this.#prepend(earlier, from, first);
  }

  #prepend(earlier: readonly Durable[], from: number, first: number): void {
    const known = new Set(this.events.map(nameOf));
    const end = earlier.findIndex(event => event.path === undefined && event.seq >= from);
    const fresh = earlier.slice(0, end < 0 ? undefined : end).filter(event => !known.has(nameOf(event)));
    this.#hold([...fresh, ...this.events]);
    // Events that a person has requested are not dropped while they read them.
    this.#room = this.events.length + MOST_EVENTS;
    this.from = first;
    this.#changed();
  }

  #hold(events: Durable[]): void {
    this.events = events;
    this.fold = newFold();
    for (const event of events) takeItem(this.fold, event);
  }

  /** Drops old events, because a page may be open for days. */
  #letGo(): void {
    this.#hold(this.events.slice(-MOST_EVENTS / 2));
    this.#room = MOST_EVENTS;
    this.from = this.events.find(({ path }) => path === undefined)?.seq ?? this.from;
  }

  #event(event: RunEvent): void {
    if ('seq' in event) {
      const { path = '', seq } = event;
      const seen = this.#seen.get(path) ?? 0;
      if (seq <= seen) return;
      if (path === '' && seen > 0 && seq > seen + 1) this.#beginAnew();
      this.#seen.set(path, seq);
      this.events.push(event);
      takeItem(this.fold, event);
      if (this.events.length > this.#room) this.#letGo();
    }
    if (event.type === 'end') this.ended = true;
    takeProgress(this.progress, event);
  }

  /** Clears the events if the server has dropped some that are missing here; earlier ones are read on demand, without gaps. */
  #beginAnew(): void {
    this.events = [];
    this.fold = newFold();
    this.from = null;
  }

  /** Joins the changes of many frames into one drawing. */
  #changed(): void {
    if (this.#frame !== 0) return;
    const draw = () => {
      this.#frame = 0;
      this.version.value += 1;
    };
    // A hidden page has no animation frames, but must be complete when it becomes visible.
    this.#frame = document.hidden ? Number(setTimeout(draw, 100)) : requestAnimationFrame(draw);
  }
}

/** Limit for events of a run and its sub-agents in a page. */
const MOST_EVENTS = 20_000;
/** Number of own events that one request for earlier events covers. */
const EARLIER = 500;

function nameOf({ path = '', seq }: Durable): string {
  return `${path} ${seq}`;
}
