/** One run as the page has it: folded from frames, each event once, whatever comes twice. */
import { signal } from '@preact/signals';
import { newProgress, type RunProgress, take as takeProgress, takeState } from '@steersman/view';
import type { RunEvent, RunSnapshot } from 'steersman/client';
import type { Frame } from '../api.js';
import { get, runPath } from './ask.js';
import { type Durable, type Fold, newFold, takeItem } from './items.js';

export class RunModel {
  readonly id: string;
  /** One more at each change: what is drawn depends on it. */
  readonly version = signal(0);
  readonly progress: RunProgress = newProgress('');
  /** Durable events in the order that they were told. */
  events: Durable[] = [];
  fold: Fold = newFold();
  snapshot: RunSnapshot | null = null;
  /** Number of the first own event that is here; null until all were told. */
  from: number | null = null;
  /** Why it can't be followed. */
  lost: string | null = null;
  ended = false;
  /** Events that may be here before the older ones go. */
  #room = MOST_EVENTS;
  readonly #seen = new Map<string, number>();
  #frame = 0;

  constructor(id: string) {
    this.id = id;
  }

  /** Of the run's own events. */
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

  /** Reads what came before the first event that is here. Throws what the server refuses. */
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
    // What somebody reads stays while they read it.
    this.#room = this.events.length + MOST_EVENTS;
    this.from = first;
    this.#changed();
  }

  #hold(events: Durable[]): void {
    this.events = events;
    this.fold = newFold();
    for (const event of events) takeItem(this.fold, event);
  }

  /** A page may be open for days. */
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

  /** More has happened meanwhile than the console has at hand: what came before is read on demand, and has no gap then. */
  #beginAnew(): void {
    this.events = [];
    this.fold = newFold();
    this.from = null;
  }

  /** Many frames come at once: they are drawn together. */
  #changed(): void {
    if (this.#frame !== 0) return;
    const draw = () => {
      this.#frame = 0;
      this.version.value += 1;
    };
    // A hidden page draws no frames, and is to be whole when somebody looks.
    this.#frame = document.hidden ? Number(setTimeout(draw, 100)) : requestAnimationFrame(draw);
  }
}

/** Of a run and its sub-agents, in a page. */
const MOST_EVENTS = 20_000;
/** Own events that are read at once. */
const EARLIER = 500;

function nameOf({ path = '', seq }: Durable): string {
  return `${path} ${seq}`;
}
