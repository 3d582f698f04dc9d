/** Reads a run from all its sources: its worker has everything, Temporal its state and end, the store its stored records. */
import type { RunRecord } from '../../run/state/stored-line.js';
import { type TraceReport, withEarlier } from '../../run/state/trace.js';
import { SteersmanError } from '../../shared/process/errors.js';
import type { SessionStore } from '../../shared/store/store.js';
import { type EventsPage, eventsQuery, type RunResult, traceQuery } from '../../workflows/run/definitions.js';
import { askRun } from '../connection/ask-run.js';
import type { Temporal } from '../connection/connect.js';
import { findRecord, storedEvents, storedTrace, type ThreadTranscript } from '../stored/stored-runs.js';
import { type ChildTree, readChildren, storedChildren } from './child-tree.js';
import { storedReport } from './forgotten.js';
import type { StoredJournal } from './journal-reader.js';
import { type RunEnd, readEnd } from './run-end.js';
import { type RunSnapshot, readSnapshot, snapshotOf } from './run-snapshot.js';
import { chainIn, describeRun, fromWorker, isOpen, type RunDescription } from './runs.js';
import { type RunInStore, readTranscript } from './transcript.js';

/** Concurrent readers of a run, such as of its events, its gates and its end, share requests. */
export class RunReader {
  readonly temporal: Temporal;
  readonly id: string;
  /** Null: there is no store, and nothing is looked up in it. */
  readonly store: SessionStore | null;
  /** The stored record of a run that Temporal has deleted; else null. */
  readonly forgotten: RunInStore | null;
  #seen: { at: number; run: Promise<RunDescription> } | null = null;
  /** Pages of the journal that were requested since the last look. */
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

  /** Returns the reader of another run, such as a sub-agent. */
  of(id: string): RunReader {
    return new RunReader(this.temporal, id, this.store);
  }

  /** Describes the run; a description that is at most this old is reused. */
  look(maxAgeMs = 0): Promise<RunDescription> {
    if (this.#seen === null || Date.now() - this.#seen.at >= maxAgeMs) {
      this.#pages.clear();
      this.#seen = { at: Date.now(), run: describeRun(this.temporal, this.id) };
    }
    return this.#seen.run;
  }

  /** Queries the worker for a segment's events after `since`. */
  events(runId: string, since: number): Promise<EventsPage> {
    const key = `${runId} ${since}`;
    const page = this.#pages.get(key) ?? askRun(this.temporal, { id: this.id, runId }, eventsQuery, since);
    this.#pages.set(key, page);
    return page;
  }

  /** Returns the store's events after `since`. Workers may no longer have them. */
  async keptEvents(since: number): Promise<StoredJournal> {
    const run = await this.look(Number.POSITIVE_INFINITY);
    const stored = await this.#stored(run);
    if (stored === null) return { events: [], isWhole: false };
    const events = await storedEvents(stored.store, stored.run, since);
    return {
      events,
      isWhole: isEndStored(stored, run) && (events.at(-1)?.seq ?? since) >= stored.run.kept.seq,
    };
  }

  /** Works for ended runs and without a worker. Throws a SteersmanError for an unknown run. */
  async snapshot(): Promise<RunSnapshot> {
    if (this.forgotten) return snapshotOf({ kept: this.forgotten.run });
    const find = (run: RunDescription) => this.#stored(run).catch(() => null);
    return readSnapshot(this.temporal, await describeRun(this.temporal, this.id), find);
  }

  async children(): Promise<ChildTree[]> {
    if (this.forgotten) return storedChildren(this.forgotten.store, this.forgotten.run);
    return readChildren(this, (await this.snapshot()).children);
  }

  /** Returns the main thread first; `only`: one thread. Throws a SteersmanError if neither store nor worker has it. */
  async transcript(only?: string): Promise<ThreadTranscript[]> {
    const { temporal, id, forgotten } = this;
    const run = forgotten === null ? await describeRun(temporal, id) : null;
    const stored = forgotten ?? (run && (await this.#stored(run)));
    const isAll = run === null || (stored !== null && isEndStored(stored, run));
    return readTranscript(temporal, { id, only, kept: stored, isAll });
  }

  async trace(): Promise<TraceReport> {
    if (this.forgotten) return storedReport(this.forgotten.store, this.forgotten.run);
    const run = await describeRun(this.temporal, this.id);
    if (!isOpen(run)) return this.#withKeptSteps(run, resultIn(await readEnd(this.temporal, run)).trace);
    const ask = () => askRun(this.temporal, { id: this.id }, traceQuery);
    try {
      return await this.#withKeptSteps(
        run,
        await fromWorker(this.temporal, this.id, { knows: 'its trace', ask }),
      );
    } catch (error) {
      const stored = isUnserved(error) ? await this.#stored(run) : null;
      if (stored === null) throw error;
      return storedReport(stored.store, stored.run);
    }
  }

  /** Adds earlier steps to the trace, if the store has all of them. */
  async #withKeptSteps(run: RunDescription, trace: TraceReport): Promise<TraceReport> {
    const stored = trace.dropped > 0 ? await this.#stored(run) : null;
    return stored ? withEarlier(trace, await storedTrace(stored.store, stored.run)) : trace;
  }

  /** Returns the stored run; null if it is not stored. */
  async #stored(run: RunDescription): Promise<RunInStore | null> {
    const { store } = this;
    const found = store && (await findRecord(store, this.id, chainIn(run)));
    return store && found && { store, run: found };
  }
}

/** A reset run continues under another run id, which the store may not know. */
function isEndStored(stored: RunInStore, run: RunDescription): boolean {
  return stored.run.ended && stored.run.runId === run.runId;
}

function isUnserved(error: unknown): boolean {
  return error instanceof SteersmanError && error.code === 'unserved';
}

/** Throws a SteersmanError `no_result` if Temporal ended the run without a result. */
export function resultIn({ id, status, failure, result }: RunEnd): RunResult {
  if (result !== null) return failure === null ? result : { ...result, failure };
  const why = failure?.message ? `: ${failure.message}` : '';
  throw new SteersmanError(`The run ${id} left no result (${status})${why}.`, '', 'no_result');
}
