/** Storing runs in the store of sessions: the activity for open runs, and the missing parts of ended ones. */
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { errorText } from '../base/text/error-text.js';
import {
  isBehind,
  type KeepPage,
  type Lack,
  type Mark,
  NOTHING_KEPT,
  type RunRecord,
  type StoredLine,
} from '../run/state/stored-line.js';
import { failpoint } from '../shared/process/failpoints.js';
import { askPatiently } from '../shared/query-errors.js';
import type { SessionStore } from '../shared/store/store.js';
import { LATE, within } from '../shared/waits.js';
import { pause, storeWithin } from './stop-signal.js';
import type { KeepEnd, SteersmanActivities } from './types.js';

export interface KeepDeps {
  sessions: Pick<SessionStore, 'keep'>;
  namespaceId(): Promise<string | null>;
  /** Sends the query `keepPage` to the activity's run. Without `upTo`, it returns all records so far. */
  readPage(after: Mark, upTo?: Mark): Promise<KeepPage>;
  redact<T>(value: T): T;
}

/** The run waits for the query; the activity's own retries follow. */
const GIVE_UP_MS = 5_000;
/** A start waits no longer than this for the run to be listed: the run lists itself later. */
const LISTING_MS = 2_000;
/** A write that waits longer for its turn fails, because the previous one hangs. */
const TURN_MS = 4_000;
const WRITE_MS = 9_000;
/** The time for retries after a store's first failure: a restarting database is back by then. */
const PATIENCE_MS = 15_000;

/** Writes runs to the store of sessions while they are open. */
export interface Keeping {
  /** It writes page by page, so that a failure keeps earlier pages. */
  steersmanKeep: SteersmanActivities['steersmanKeep'];
  /**
   * Lists the run of the present activity in the store, with what it has so far. Call the returned function once the
   * run can begin: it writes the records and returns the mark; null if the store or the run did not answer.
   */
  readListing(): () => Promise<Mark | null>;
}

export function createKeeping({ sessions, ...deps }: KeepDeps): Keeping {
  const inOrder = inTurn(sessions);
  const readPage = (from: Mark, to?: Mark, giveUpMs = GIVE_UP_MS) => {
    const signal = Context.current().cancellationSignal;
    return askPatiently(() => deps.readPage(from, to), { giveUpMs, signal });
  };
  const write: SessionStore['keep'] = async (...page) => {
    await failpoint('keep.before-write');
    const missing = await inOrder(...page);
    await failpoint('keep.after-write');
    return missing;
  };
  return {
    async steersmanKeep({ after, upTo, once }) {
      const begunAt = Date.now();
      const writeOrFail: typeof write = async (...page) => {
        try {
          return await write(...page);
        } catch (error) {
          throw (await isLastTry(once, begunAt))
            ? ApplicationFailure.nonRetryable(errorText(error), 'store')
            : error;
        }
      };
      return keepPages({ ...deps, readPage, write: writeOrFail }, { after, upTo });
    },
    readListing() {
      const reading = readPage(NOTHING_KEPT, undefined, LISTING_MS).catch(() => null);
      return async () => {
        const page = await reading;
        if (page === null) return null;
        const record = recordOf(page, (await deps.namespaceId()) ?? '', deps.redact);
        const written = write(...record, NOTHING_KEPT).then(() => page.kept);
        return within(LISTING_MS, written, null).catch(() => null);
      };
    },
  };
}

/** A store that is repeatedly restored during writes counts as failed. */
const MOST_PUT_BACK = 3;

/** Writes a run's records between two marks. A store that lacks earlier records gets them again. */
async function keepPages(
  { write, readPage, namespaceId, redact }: Omit<KeepDeps, 'sessions'> & { write: SessionStore['keep'] },
  { after, upTo }: { after: Mark; upTo: Mark },
): Promise<KeepEnd> {
  let end: KeepEnd = null;
  let putBack = 0;
  for (let from = after; ; ) {
    const page = await readPage(from, upTo);
    const missing = await write(...recordOf(page, (await namespaceId()) ?? '', redact), from);
    if (missing !== null) {
      putBack += 1;
      if (putBack > MOST_PUT_BACK) throw new Error('the store loses what is written to it');
      end = { missing };
      from = missing;
    } else if (page.more) from = page.kept;
    else return end;
  }
}

/**
 * True if a failing store gets no further attempt. The first failure passes its time on; an attempt lost with its
 * worker says nothing about the store. A run that does not answer, such as on a stalled worker, is always asked again.
 */
async function isLastTry(once: boolean | undefined, begunAt: number): Promise<boolean> {
  const context = Context.current();
  const { heartbeatDetails: told } = context.info;
  const failsSince = typeof told === 'number' ? told : begunAt;
  if (once === true || Date.now() - failsSince >= PATIENCE_MS) return true;
  context.heartbeat(failsSince);
  // The SDK records a heartbeat only when the event loop is free.
  await pause(1);
  return false;
}

/** An ended run did not return its records: no worker of its queue answers, or its code does not. */
export class RunUnanswered extends Error {
  /** Asking again may help. */
  readonly mayPass: boolean;

  constructor(cause: unknown, mayPass: boolean) {
    super(errorText(cause), { cause });
    this.mayPass = mayPass;
  }
}

export interface LateDeps extends Pick<KeepDeps, 'namespaceId' | 'redact'> {
  sessions: Pick<SessionStore, 'keep' | 'runs' | 'line'>;
  /** Sends the query `keepPage` to the ended run. @throws RunUnanswered */
  readPage(after: Mark, upTo?: Mark): Promise<KeepPage>;
}

const BEYOND_ALL: Mark = { id: Number.MAX_SAFE_INTEGER, seq: Number.MAX_SAFE_INTEGER };

/**
 * Adds an ended run's missing records to the store. Deleted conversations stay deleted.
 * @returns `waits` if its conversation is not stored yet, and `had` if no record was missing.
 */
export async function keepLate(
  { sessions, ...deps }: LateDeps,
  lack: Lack,
): Promise<'kept' | 'had' | 'waits'> {
  const { run, kept: upTo } = await deps.readPage(BEYOND_ALL);
  const { session, chain, parent } = run;
  const stored = (await sessions.runs(session)).find(known => known.chain === chain);
  if (stored?.ended && !isBehind(stored.kept, upTo)) return 'had';
  if (stored === undefined) {
    // The store had the run's end, so the run was deleted.
    if (lack === 'receipts') return 'had';
    // A caller's run must begin the conversation: an agent's run would restore a deleted one.
    if (parent !== undefined && (await sessions.line(session)) === null) return 'waits';
  }
  const write: SessionStore['keep'] = (record, ...page) =>
    storeWithin(WRITE_MS, sessions.keep({ ...record, late: true }, ...page));
  await keepPages({ ...deps, write }, { after: stored?.kept ?? NOTHING_KEPT, upTo });
  return 'kept';
}

/** Returns a page in the store's form. */
function recordOf(
  { run, records, kept }: Omit<KeepPage, 'more'>,
  namespaceId: string,
  redact: KeepDeps['redact'],
): [RunRecord, readonly StoredLine[]] {
  return [{ v: 1, ...redact(run), namespaceId, kept }, redact(records)];
}

/**
 * Allows one write of this worker at a time. Writes to a hanging disk never end, and each would block one of the few
 * threads for all file access: so only one may hang, and others fail until it ends.
 */
function inTurn(sessions: KeepDeps['sessions']): SessionStore['keep'] {
  let busy: Promise<unknown> | null = null;
  return async (...args) => {
    for (const end = performance.now() + TURN_MS; busy !== null; )
      if ((await within(end - performance.now(), busy, LATE)) === LATE)
        throw new Error('a write to the store before this one has not ended');
    const writing = sessions.keep(...args);
    busy = writing
      .catch(() => {})
      .finally(() => {
        busy = null;
      });
    return storeWithin(WRITE_MS, writing);
  };
}
