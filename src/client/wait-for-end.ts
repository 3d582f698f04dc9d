/** Waiting for the end of a run, through restarts of everything. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Report } from '../stack/temporal-binary.js';
import type { Temporal } from './connect.js';
import { isServerAway } from './grpc-errors.js';
import type { RunEnd } from './run-end.js';
import { readEnd } from './run-end.js';
import { describeRun, isOpen } from './runs.js';

const POLL_MS = 1_000;

/** Resolves when the run has ended, however long that takes. Says once what is waited for. */
export async function waitForEnd(temporal: Temporal, id: string, report: Report): Promise<RunEnd> {
  let told = false;
  for (;;) {
    try {
      const run = await describeRun(temporal, id);
      if (!isOpen(run)) return await readEnd(temporal, run);
      if (!told) report(`Waiting for the end of ${id}. Ctrl-C ends the waiting, not the run.`);
      told = true;
    } catch (error) {
      if (!isServerAway(error)) throw error;
      report(`Temporal at ${temporal.address} does not answer. Trying again …`);
    }
    await delay(POLL_MS);
  }
}
