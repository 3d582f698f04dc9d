/** Waiting for the end of a run, through restarts of everything. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Temporal } from '../client/runs/connect.js';
import { isServerAway } from '../client/runs/grpc-errors.js';
import type { RunEnd } from '../client/runs/run-end.js';
import { readEnd } from '../client/runs/run-end.js';
import { describeRun, isOpen } from '../client/runs/runs.js';
import type { TextSink } from './output.js';
import { WaitTeller } from './waits-for.js';

const POLL_MS = 1_000;

/** Resolves when the run has ended, however long that takes. Says what is waited for, and what the run waits for. */
export async function waitForEnd(temporal: Temporal, id: string, notes: TextSink): Promise<RunEnd> {
  const report = notes.line;
  const waits = new WaitTeller(notes.colors);
  let told = false;
  for (;;) {
    try {
      const run = await describeRun(temporal, id);
      if (!isOpen(run)) return await readEnd(temporal, run);
      if (!told) report(`Waiting for the end of ${id}. Ctrl-C ends the waiting, not the run.`);
      told = true;
      for (const line of await waits.news(temporal, run)) report(line);
    } catch (error) {
      if (!isServerAway(error)) throw error;
      report(`Temporal at ${temporal.address} does not answer. Trying again …`);
    }
    await delay(POLL_MS);
  }
}
