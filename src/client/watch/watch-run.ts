/** Watches a run from its first event to its end: journal, live text, retries, and those of its sub-agents. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Temporal } from '../connection/connect.js';
import type { RunReader } from '../record/run-reader.js';
import type { RunDescription } from '../record/runs.js';
import { replayStored } from './replay-stored.js';
import type { RunEvent } from './run-event.js';
import { RunWatch } from './run-watch.js';

export interface WatchOptions {
  /** Ends the watch; the run continues. */
  signal?: AbortSignal | undefined;
  /**
   * `seq` of the last known event without `path`; sub-agents have their own numbers, and are sent from their start.
   * Default 0: from the start.
   */
  since?: number;
  /** Includes live text, progress and retries of calls in flight. Default true. */
  live?: boolean;
  /** Includes events of its sub-agents. Default true. */
  children?: boolean;
  /** Milliseconds between looks. Default 250 on the local stack, 1,000 elsewhere. */
  pollMs?: number;
  /** Called before each pause between looks: if it resolves first, the next look follows at once. */
  sooner?: () => Promise<void>;
}

const LOCAL_POLL_MS = 250;
const REMOTE_POLL_MS = 1_000;
/** Pause after the first look that was postponed for a worker's task. */
const PUT_OFF_MS = 30;

/** Returns the milliseconds between looks at a run. */
export function pollMsOf({ local }: Pick<Temporal, 'local'>): number {
  return local ? LOCAL_POLL_MS : REMOTE_POLL_MS;
}

/** Returns the pause before the next look. `putOff` looks in a row found a pending task, which ends soon or has no worker. */
export function pauseMs(putOff: number, pollMs: number): number {
  return putOff === 0 ? pollMs : Math.min(PUT_OFF_MS * 2 ** (putOff - 1), pollMs);
}

/** Yields the run's events, from its start or after `since`, from its worker or the store. Throws for an unknown run. */
export async function* watchRun(reader: RunReader, options: WatchOptions = {}): AsyncGenerator<RunEvent> {
  const { signal, since = 0, live = true, children = true, pollMs = pollMsOf(reader.temporal) } = options;
  const { sooner } = options;
  const { forgotten } = reader;
  if (forgotten) return yield* replayStored(forgotten.store, forgotten.run, { since, children });
  const watch = new RunWatch(reader, { since, live, children });
  let putOff = 0;
  let run: RunDescription | null = await reader.look(pollMs / 2);
  while (signal?.aborted !== true) {
    if (run !== null) {
      yield* watch.news(run);
      if (watch.finished) return;
    }
    putOff = watch.isPutOff ? putOff + 1 : 0;
    const ms = pauseMs(putOff, pollMs);
    const pause = delay(ms, undefined, { signal }).catch(() => undefined);
    await Promise.race([pause, ...(sooner ? [sooner()] : [])]);
    run = await watch.look(sooner ? 0 : ms / 2);
    if (run === null) yield* watch.impatience();
  }
}
