/** A run folded from the console's frames: its entries, progress and state. Events that arrive twice count once. */
import type { RunEvent, RunSnapshot } from 'steersman/client';
import type { Frame } from './frames.js';
import { type Durable, type Fold, newFold, takeItem } from './items.js';
import { newProgress, type RunProgress, take as takeProgress, takeState } from './run-progress.js';

export class RunFold {
  readonly id: string;
  readonly progress: RunProgress = newProgress('');
  /** Durable events in the order of their arrival. */
  events: Durable[] = [];
  fold: Fold = newFold();
  snapshot: RunSnapshot | null = null;
  /** `seq` of the run's first event in memory; null until the stream has caught up. */
  from: number | null = null;
  /** The reason why the run can't be followed; else null. */
  lost: string | null = null;
  ended = false;
  /** Above this number of events, older ones are dropped. */
  #room = MOST_EVENTS;
  readonly #seen = new Map<string, number>();
  readonly #changed: () => void;

  /** `changed`: called after each frame and each earlier part. */
  constructor(id: string, changed: () => void) {
    this.id = id;
    this.#changed = changed;
  }

  /** `seq` of the run's last event; sub-agents have their own. */
  get lastSeq(): number {
    return this.#seen.get('') ?? 0;
  }

  take(frame: Extract<Frame, { run: string }>): void {
    if (frame.type === 'snapshot') {
      this.snapshot = frame.snapshot;
      takeState(this.progress, frame.snapshot);
    }
    if (frame.type === 'caught_up') {
      this.from ??= frame.from;
      // The state of an ended run has all that its events add.
      if (this.snapshot?.phase === 'ended') takeState(this.progress, this.snapshot);
    }
    if (frame.type === 'event') this.#event(frame.event);
    this.lost = frame.type === 'lost' ? frame.message : null;
    this.#changed();
  }

  /** Adds events before the first one in memory, which has the number `from`. `first`: number of the first added. */
  prepend(earlier: readonly Durable[], from: number, first: number): void {
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
}

/** True if the run has answered and is kept open: a message is then its next goal, and steers nothing. */
export function takesNextGoal({ snapshot, progress }: Pick<RunFold, 'snapshot' | 'progress'>): boolean {
  return snapshot?.phase === 'idle' && progress.idle;
}

/** Returns the phase to show. Events arrive before the next snapshot, so they show the newer phase. */
export function phaseOf({ snapshot, progress, ended, fold }: Shown): string {
  if (ended) return 'ended';
  if (progress.paused) return 'paused';
  const phase = snapshot?.phase ?? progress.phase;
  const isPast =
    (phase === 'idle' && !progress.idle) ||
    (phase === 'waiting' && areClosed(fold, snapshot?.gates.map(({ id }) => id) ?? []));
  if (!isPast) return phase;
  return progress.idle ? 'idle' : progress.phase;
}

type Shown = Pick<RunFold, 'snapshot' | 'progress' | 'ended' | 'fold'>;

/** True if these gates of the run, and all that opened since, were closed. Without any it is unknown. */
function areClosed({ items }: Fold, ids: readonly string[]): boolean {
  const own = items.filter(item => item.kind === 'gate').filter(({ path }) => path === '');
  const isClosed = (id: string) => own.some(({ gateId, closed }) => gateId === id && closed !== null);
  return ids.length > 0 && ids.every(isClosed) && own.every(({ closed }) => closed !== null);
}

/** Limit for events of a run and its sub-agents in a page. */
const MOST_EVENTS = 20_000;

function nameOf({ path = '', seq }: Durable): string {
  return `${path} ${seq}`;
}
