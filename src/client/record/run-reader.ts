/** One reader of a run, wherever its parts are: its worker has all of it, Temporal how it stands and ended, the store what was kept. */
import type { RunRecord } from '../../run/state/kept.js';
import type { TraceReport, TraceStep } from '../../run/state/trace.js';
import { SteersmanError } from '../../shared/process/errors.js';
import type { SessionStore } from '../../shared/store/store.js';
import { type EventsPage, eventsQuery, type RunResult, traceQuery } from '../../workflows/run/definitions.js';
import { askRun } from '../connection/ask-run.js';
import type { Temporal } from '../connection/connect.js';
import { keptEvents, keptRun, keptSteps, type ThreadTranscript } from '../kept/kept-runs.js';
import { type ChildTree, keptChildren, readChildren } from './child-tree.js';
import { keptTrace } from './forgotten.js';
import type { KeptJournal } from './journal-reader.js';
import { type RunEnd, readEnd } from './run-end.js';
import { type RunSnapshot, readSnapshot, snapshotOf } from './run-snapshot.js';
import { chainIn, describeRun, fromWorker, isOpen, type RunDescription } from './runs.js';
import { type KeptIn, readTranscript } from './transcript.js';

/**
 * What two readers of a run ask at the same time, such as its events, its gates and the wait for its end, is asked
 * once.
 */
export class RunReader {
  readonly temporal: Temporal;
  readonly id: string;
  /** Null: nothing is looked up there. */
  readonly store: SessionStore | null;
  /** Temporal knows it no more: this is what the store has. */
  readonly forgotten: KeptIn | null;
  #seen: { at: number; run: Promise<RunDescription> } | null = null;
  /** Pages of the journal that were asked for since the last look. */
  readonly #pages = new Map<string, Promise<EventsPage>>();

  constructor(
    temporal: Temporal,
    id: string,
    store: SessionStore | null = null,
    forgotten: RunRecord | null = null,
  ) {
    this.temporal = temporal;
    this.id = id;
    this.store = store;
    this.forgotten = store && forgotten && { store, run: forgotten };
  }

  /** The reader of another run, such as a sub-agent. */
  of(id: string): RunReader {
    return new RunReader(this.temporal, id, this.store);
  }

  /** How the run stands, as it was seen at most so long ago. */
  look(maxAgeMs = 0): Promise<RunDescription> {
    if (this.#seen === null || Date.now() - this.#seen.at >= maxAgeMs) {
      this.#pages.clear();
      this.#seen = { at: Date.now(), run: describeRun(this.temporal, this.id) };
    }
    return this.#seen.run;
  }

  /** Its worker's events of a segment of the run after `since`. */
  events(runId: string, since: number): Promise<EventsPage> {
    const key = `${runId} ${since}`;
    const page = this.#pages.get(key) ?? askRun(this.temporal, { id: this.id, runId }, eventsQuery, since);
    this.#pages.set(key, page);
    return page;
  }

  /** The store's events after `since`: those that no worker may tell any more. */
  async keptEvents(since: number): Promise<KeptJournal> {
    const run = await this.look(Number.POSITIVE_INFINITY);
    const kept = await this.#kept(run);
    if (kept === null) return { events: [], isWhole: false };
    const events = await keptEvents(kept.store, kept.run, since);
    return { events, isWhole: isEndKept(kept, run) && (events.at(-1)?.seq ?? since) >= kept.run.kept.seq };
  }

  /** Works for ended runs and without a worker. Throws a SteersmanError for an unknown run. */
  async snapshot(): Promise<RunSnapshot> {
    if (this.forgotten) return snapshotOf({ kept: this.forgotten.run });
    const find = (run: RunDescription) => this.#kept(run).catch(() => null);
    return readSnapshot(this.temporal, await describeRun(this.temporal, this.id), find);
  }

  async children(): Promise<ChildTree[]> {
    if (this.forgotten) return keptChildren(this.forgotten.store, this.forgotten.run);
    return readChildren(this, (await this.snapshot()).children);
  }

  /** The main thread first; `only` one thread. Throws a SteersmanError where neither store nor worker knows it. */
  async transcript(only?: string): Promise<ThreadTranscript[]> {
    const { temporal, id, forgotten } = this;
    const run = forgotten === null ? await describeRun(temporal, id) : null;
    const kept = forgotten ?? (run && (await this.#kept(run)));
    const isAll = run === null || (kept !== null && isEndKept(kept, run));
    return readTranscript(temporal, { id, only, kept, isAll });
  }

  async trace(): Promise<TraceReport> {
    if (this.forgotten) return keptTrace(this.forgotten.store, this.forgotten.run);
    const run = await describeRun(this.temporal, this.id);
    if (!isOpen(run)) return this.#withKeptSteps(run, resultIn(await readEnd(this.temporal, run)).trace);
    const ask = () => askRun(this.temporal, { id: this.id }, traceQuery);
    try {
      return await this.#withKeptSteps(
        run,
        await fromWorker(this.temporal, this.id, { knows: 'its trace', ask }),
      );
    } catch (error) {
      const kept = isUnserved(error) ? await this.#kept(run) : null;
      if (kept === null) throw error;
      return keptTrace(kept.store, kept.run);
    }
  }

  /** With the steps before its first, where the store has them all. */
  async #withKeptSteps(run: RunDescription, trace: TraceReport): Promise<TraceReport> {
    const kept = trace.dropped > 0 ? await this.#kept(run) : null;
    return kept ? withEarlier(trace, await keptSteps(kept.store, kept.run)) : trace;
  }

  /** What the store has of it; null where it is not kept. */
  async #kept(run: RunDescription): Promise<KeptIn | null> {
    const { store } = this;
    const found = store && (await keptRun(store, this.id, chainIn(run)));
    return store && found && { store, run: found };
  }
}

/** A run that was reset goes on under another run id, of which the store may not have heard. */
function isEndKept(kept: KeptIn, run: RunDescription): boolean {
  return kept.run.ended && kept.run.runId === run.runId;
}

function isUnserved(error: unknown): boolean {
  return error instanceof SteersmanError && error.code === 'unserved';
}

function withEarlier(trace: TraceReport, kept: readonly TraceStep[]): TraceReport {
  const earlier = kept.filter(({ step }) => step <= trace.dropped);
  return earlier.length < trace.dropped
    ? trace
    : { ...trace, steps: [...earlier, ...trace.steps], dropped: 0 };
}

/** Throws a SteersmanError `no_result` where Temporal ended the run without one. */
export function resultIn({ id, status, failure, result }: RunEnd): RunResult {
  if (result !== null) return result;
  const why = failure?.message ? `: ${failure.message}` : '';
  throw new SteersmanError(`The run ${id} left no result (${status})${why}.`, '', 'no_result');
}
