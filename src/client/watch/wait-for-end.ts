/** Waits for the end of a run, through restarts of all parts. */

import { setTimeout as delay } from 'node:timers/promises';
import type { Report } from '../../shared/process/output.js';
import type { Abortable } from '../connection/abortable.js';
import { isServerAway } from '../connection/grpc-errors.js';
import { storedEnd } from '../record/forgotten.js';
import type { RunEnd } from '../record/run-end.js';
import { readEnd } from '../record/run-end.js';
import type { RunReader } from '../record/run-reader.js';
import type { RunSnapshot } from '../record/run-snapshot.js';
import type { RunDescription } from '../record/runs.js';
import { isOpen } from '../record/runs.js';
import { pollMsOf } from './watch-run.js';

export interface WaitOptions extends Abortable {
  /** Receives the run's state each time it starts to wait: for a person, a worker, or a follow-up. */
  onWait?: (state: RunSnapshot) => void;
}

/** Resolves when the run has ended, without a time limit. `report` receives a line if the server is away. */
export async function waitForEnd(
  reader: RunReader,
  { signal, onWait }: WaitOptions,
  report: Report,
): Promise<RunEnd> {
  const { temporal, forgotten } = reader;
  if (forgotten) return storedEnd(forgotten.store, forgotten.run);
  const pollMs = pollMsOf(temporal);
  let lastMark = '';
  for (;;) {
    signal?.throwIfAborted();
    try {
      const run = await reader.look(pollMs / 2);
      if (!isOpen(run)) return await readEnd(temporal, run);
      const mark = `${run.runId} ${run.historyLength}`;
      if (onWait !== undefined && mark !== lastMark && !isAtWork(run)) {
        const state = await reader.snapshot();
        // A state that no worker reported is read again.
        if (state.answered || state.stuck !== null) lastMark = mark;
        onWait(state);
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (!isServerAway(error)) throw error;
      report(`Temporal at ${temporal.address} does not answer. Trying again …`);
    }
    await delay(pollMs, undefined, { signal }).catch(() => undefined);
  }
}

/** True if a call or a task is in flight; a task that fails repeatedly does not count. */
function isAtWork({ raw }: RunDescription): boolean {
  const attempt = raw.pendingWorkflowTask?.attempt ?? 0;
  return (raw.pendingActivities ?? []).length > 0 || (raw.pendingWorkflowTask != null && attempt < 2);
}
