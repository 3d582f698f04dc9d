/** Follows a run from its first event to its end: journal, live text, retries. One poller a run. */
import { setTimeout as delay } from 'node:timers/promises';
import type { ToolProgress } from '../../core/heartbeats.js';
import type { JournalEvent } from '../../core/journal.js';
import { eventsQuery } from '../../workflows/messages.js';
import { askRun } from './ask-run.js';
import type { Temporal } from './connect.js';
import { isFinalQueryError, isServerAway } from './grpc-errors.js';
import type { JournalNews } from './journal-reader.js';
import { JournalReader } from './journal-reader.js';
import { type TextDelta, TextFollower } from './live-text.js';
import type { Retry } from './pending-calls.js';
import { liveTexts, retries, toolProgress } from './pending-calls.js';
import type { RunEnd } from './run-end.js';
import { readEnd } from './run-end.js';
import type { RunDescription } from './runs.js';
import { describeRun, isOpen, mayBeServed } from './runs.js';
import { readStuckTask, stuckLine } from './stuck-task.js';

/** What happens in a run, as a watcher is told. */
export type RunEvent =
  /** A durable event, numbered by its `seq`: each comes once, in order. */
  | { type: 'journal'; event: JournalEvent }
  /** Live text of a model call. The whole reply comes with the journal's `model_call_ended`. */
  | ({ type: 'text' } & TextDelta)
  /** How far a tool call is, where its server tells it. */
  | { type: 'progress'; progress: ToolProgress }
  /** A call that failed and is tried again. */
  | { type: 'retry'; retry: Retry }
  /** Something about the watching itself, in words: what it waits for, what could not be read. */
  | { type: 'notice'; text: string }
  /** The last one. */
  | { type: 'end'; end: RunEnd };

export interface WatchOptions {
  /** Ends the watch; the run goes on. */
  signal?: AbortSignal;
  /** Number of the last event that is known already. Default 0: from the start. */
  since?: number;
  /** Live text, progress and retries of calls in flight as well. Default true. */
  live?: boolean;
  /** Milliseconds between looks. Default 250 on the local stack, 1,000 elsewhere. */
  pollMs?: number;
}

const LOCAL_POLL_MS = 250;
const REMOTE_POLL_MS = 1_000;
const QUERY_TIMEOUT_MS = 10_000;
/** After so long without an answer the user is told what is waited for. */
const PATIENCE_MS = 5_000;
/** An ended run whose events can't be read for so long is told by its result alone. */
const GIVE_UP_MS = 15_000;

/** Milliseconds between looks at a run. */
export function pollMsOf({ local }: Pick<Temporal, 'local'>): number {
  return local ? LOCAL_POLL_MS : REMOTE_POLL_MS;
}

/** Yields what happens in the run, from its start or after `since`. Throws a SteersmanError for an unknown run. */
export async function* watchRun(
  temporal: Temporal,
  id: string,
  options: WatchOptions = {},
): AsyncGenerator<RunEvent> {
  const { signal, since = 0, live = true, pollMs = pollMsOf(temporal) } = options;
  const watch = new RunWatch(temporal, id, { since, live });
  let run: RunDescription | null = await describeRun(temporal, id);
  while (signal?.aborted !== true) {
    if (run !== null) {
      yield* watch.news(run);
      if (watch.finished) return;
    }
    if (watch.isBehind) yield* watch.impatience();
    await delay(pollMs, undefined, signal ? { signal } : {}).catch(() => undefined);
    run = await watch.look();
    if (run === null) yield* watch.impatience();
  }
}

/** Why a look brought nothing. */
type Trouble = 'server' | 'worker' | 'refusal';

/** What one watcher has seen, and since when it fails to see more. */
class RunWatch {
  /** The end was yielded. */
  finished = false;
  readonly #temporal: Temporal;
  readonly #id: string;
  readonly #journal: JournalReader;
  /** Part, length and status of the run at the last successful reading. */
  #read = '';
  #failingSince: number | null = null;
  /** When the run was first seen to have ended; whether its events can be read no more. */
  #endSeenAt: number | null = null;
  #neverTold = false;
  /** The look at which reading was put off, until the next that is not. */
  #postponed: string | null = null;
  #toldStuck: string | null = null;
  #trouble: Trouble = 'worker';
  #toldTrouble = false;
  readonly #toldRetries = new Map<string, number>();

  readonly #live: boolean;
  readonly #texts = new TextFollower();

  constructor(temporal: Temporal, id: string, { since, live }: { since: number; live: boolean }) {
    this.#live = live;
    this.#temporal = temporal;
    this.#id = id;
    this.#journal = new JournalReader(
      (runId, after) => askRun(temporal, { id, runId, timeoutMs: QUERY_TIMEOUT_MS }, eventsQuery, after),
      since,
    );
  }

  get isBehind(): boolean {
    return this.#failingSince !== null;
  }

  /** A look at the run, or null while the server is away. */
  async look(): Promise<RunDescription | null> {
    try {
      const run = await describeRun(this.#temporal, this.#id);
      if (this.#trouble === 'server') this.#recovered();
      return run;
    } catch (error) {
      if (!isServerAway(error)) throw error;
      this.#failed('server');
      return null;
    }
  }

  /** Events are read only when the history has grown (a query costs; a look at the run does not). */
  async *news(run: RunDescription): AsyncGenerator<RunEvent> {
    const mark = `${run.runId} ${run.historyLength} ${run.status.name}`;
    if (mark !== this.#read && this.#postpones(run, mark)) {
      this.#failed('worker');
      yield* this.#stuck(run);
    } else if (mark !== this.#read) {
      const reading = this.#readJournal(run);
      if (await isLate(reading, this.#untilImpatient())) yield* this.impatience();
      const news = await reading;
      if (news !== null) {
        this.#read = mark;
        yield* this.#itemsOf(news);
      }
    }
    if (isOpen(run)) yield* this.#activities(run);
    else if (mark === this.#read || (await this.#givesUp(run))) yield* this.#end(run);
  }

  /**
   * True while the run's workers have yet to take in what has happened: what they could tell now is not the
   * news, and a query would only wait. Not twice in a row for a run that goes on.
   */
  #postpones({ raw }: RunDescription, mark: string): boolean {
    const waits = raw.pendingWorkflowTask != null && (this.#postponed ?? mark) === mark;
    this.#postponed = waits ? mark : null;
    return waits;
  }

  /** Says why the run goes no further, once for each reason. */
  async *#stuck(run: RunDescription): AsyncGenerator<RunEvent> {
    const stuck = await readStuckTask(this.#temporal.client, run).catch(() => null);
    if (stuck === null || stuck.what === this.#toldStuck) return;
    this.#toldStuck = stuck.what;
    this.#toldTrouble = true;
    yield { type: 'notice', text: stuckLine(stuck) };
    yield { type: 'notice', text: stuck.todo };
  }

  /** Says what is waited for, once, when it takes long. */
  *impatience(): Generator<RunEvent> {
    if (this.#toldTrouble || this.#untilImpatient() > 0) return;
    this.#toldTrouble = true;
    yield { type: 'notice', text: this.#waitsFor() };
  }

  #waitsFor(): string {
    switch (this.#trouble) {
      case 'server':
        return `Temporal at ${this.#temporal.address} does not answer. Trying again …`;
      case 'refusal':
        return 'Its worker does not tell its events: it may be another program, or its answers are encoded for others.';
      case 'worker':
        return 'Waiting for a worker …';
    }
  }

  async #readJournal(run: RunDescription): Promise<JournalNews | null> {
    this.#failingSince ??= Date.now();
    try {
      // Asking an ended run that nobody serves would only wait.
      if (!isOpen(run) && !(await mayBeServed(this.#temporal, run.taskQueue))) return null;
      const news = await this.#journal.read(run.runId);
      this.#recovered();
      return news;
    } catch (error) {
      const final = isFinalQueryError(error);
      if (final && !isOpen(run)) this.#neverTold = true;
      // A deadline means here that no worker answered.
      this.#failed(final ? 'refusal' : 'worker');
      return null;
    }
  }

  async #givesUp(run: RunDescription): Promise<boolean> {
    // From the first look at the end: a worker that was away before may be back.
    this.#endSeenAt ??= Date.now();
    return (
      this.#neverTold ||
      Date.now() - this.#endSeenAt > GIVE_UP_MS ||
      !(await mayBeServed(this.#temporal, run.taskQueue))
    );
  }

  async *#activities(run: RunDescription): AsyncGenerator<RunEvent> {
    if (!this.#live) return;
    for (const retry of retries(run)) {
      if (this.#toldRetries.get(retry.activityId) === retry.attempt) continue;
      this.#toldRetries.set(retry.activityId, retry.attempt);
      yield { type: 'retry', retry };
    }
    for (const live of await liveTexts(this.#temporal, run)) {
      const delta = this.#texts.heard(live);
      if (delta !== null) yield { type: 'text', ...delta };
    }
    for (const progress of await toolProgress(this.#temporal, run)) yield { type: 'progress', progress };
  }

  async *#end(run: RunDescription): AsyncGenerator<RunEvent> {
    if (this.isBehind) {
      const text = 'No worker tells the events of this run any more. What its result keeps of them:';
      yield { type: 'notice', text };
    }
    yield { type: 'end', end: await readEnd(this.#temporal, run) };
    this.finished = true;
  }

  *#itemsOf({ events, lost }: JournalNews): Generator<RunEvent> {
    if (lost > 0) {
      yield { type: 'notice', text: `${lost} events are no longer kept and left out.` };
    }
    for (const event of events) {
      const rest = this.#live ? this.#texts.followed(event) : null;
      if (rest !== null) yield { type: 'text', ...rest };
      yield { type: 'journal', event };
    }
  }

  #failed(trouble: Trouble): void {
    this.#failingSince ??= Date.now();
    this.#trouble = trouble;
  }

  #recovered(): void {
    this.#failingSince = null;
    this.#toldTrouble = false;
  }

  #untilImpatient(): number {
    return PATIENCE_MS - (Date.now() - (this.#failingSince ?? Date.now()));
  }
}

/** True when the promise has not settled after `ms`. */
async function isLate(promise: Promise<unknown>, ms: number): Promise<boolean> {
  const timer = new AbortController();
  const late = delay(Math.max(0, ms), true, { signal: timer.signal }).catch(() => false);
  const settled = promise.then(
    () => false,
    () => false,
  );
  try {
    return await Promise.race([settled, late]);
  } finally {
    timer.abort();
  }
}
