/** A background worker that dies under the run that a terminal shows is replaced. */

import { setTimeout as delay } from 'node:timers/promises';
import { startCall } from '../shared/called-as.js';
import { SteersmanError } from '../shared/errors.js';
import { liveWorkers } from './records.js';
import type { LocalServer } from './server.js';
import type { Report } from './temporal-binary.js';
import { type LocalWorker, resumeQueue, type WorkerSettings } from './workers.js';

const LOOK_EVERY_MS = 500;
/** A worker that dies this often under one terminal will die again. */
const MOST_REPLACEMENTS = 3;

export interface Supervision {
  server: LocalServer;
  taskQueue: string;
  settings: WorkerSettings;
  /** Gets a line when the worker has died, and when another takes over or can't be started. */
  report: Report;
}

/** Replaces the worker of a queue whenever its process is gone, until the returned function is called. */
export function superviseWorker(supervision: Supervision): () => void {
  const ending = new AbortController();
  const held: LocalWorker[] = [];
  void supervise(supervision, held, ending.signal);
  return () => {
    ending.abort();
    for (const worker of held) worker.release();
  };
}

async function supervise(
  { server, taskQueue, settings, report }: Supervision,
  held: LocalWorker[],
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    await delay(LOOK_EVERY_MS, undefined, { signal, ref: false }).catch(() => undefined);
    if (signal.aborted) return;
    if (liveWorkers(server.home).some(worker => worker.taskQueue === taskQueue)) continue;
    if (held.length >= MOST_REPLACEMENTS) {
      report(`The worker has died ${held.length + 1} times. ${remedy(held.at(-1))}`);
      return;
    }
    report('The worker of this run has died. Another is started and goes on where it was.');
    try {
      held.push(await resumeQueue(server, taskQueue, settings, { report: () => {} }));
    } catch (error) {
      const why = error instanceof SteersmanError ? error.message : String(error);
      report(`No other worker could be started: ${why} ${remedy(held.at(-1))}`);
      return;
    }
  }
}

function remedy(last: LocalWorker | undefined): string {
  const log = last === undefined ? '' : ` Its log: ${last.logFile}.`;
  return `The run waits, nothing is lost: ${startCall('--resume-open')} goes on with it.${log}`;
}
