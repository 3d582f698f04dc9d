/** Measures what runs cost: wall time, CPU of worker and server, memory, history. */
import type { ChildProcess } from 'node:child_process';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { median } from './machine.js';
import { processUse, warningsOf } from './processes.js';
import type { RunShape } from './run-script.js';
import { historyOf, historyOfAgents } from './runs.js';

export interface Figures {
  wallSeconds: number;
  workerCpu: number;
  serverCpu: number;
  /** Resident memory of the worker after the runs; `peakMb` is its highest value. */
  residentMb: number;
  peakMb: number;
  /** Size of one run's history, including its agents'. */
  bytes: number;
  events: number;
  /** Number of lines with a warning that the worker has written. */
  warnings: number;
}

export interface Measured {
  client: Client;
  server: ChildProcess;
  worker: ChildProcess;
  start(): Promise<WorkflowHandle>;
  /** The shape of the runs, if they may have agents. */
  shape?: RunShape;
  /** Waits for a run, and throws if it did not do all of its work. */
  end(handle: WorkflowHandle): Promise<unknown>;
}

/** Starts `runs` runs at once and waits for all. */
export async function measure(measured: Measured, runs: number): Promise<Figures> {
  const { client, worker, server, start, end, shape } = measured;
  const [workerPid = 0, serverPid = 0] = [worker.pid, server.pid];
  const before = { worker: processUse(workerPid), server: processUse(serverPid) };
  const from = performance.now();
  const handles = await Promise.all(Array.from({ length: runs }, start));
  await Promise.all(handles.map(end));
  const wallSeconds = (performance.now() - from) / 1_000;
  const after = { worker: processUse(workerPid), server: processUse(serverPid) };
  const first = handles[0]?.workflowId ?? '';
  const own = await historyOf(client, first);
  const ofAgents = await historyOfAgents(client, first, shape);
  return {
    wallSeconds,
    workerCpu: after.worker.cpuSeconds - before.worker.cpuSeconds,
    serverCpu: after.server.cpuSeconds - before.server.cpuSeconds,
    residentMb: after.worker.residentMb,
    peakMb: after.worker.peakMb,
    bytes: own.bytes + ofAgents.bytes,
    events: own.events + ofAgents.events,
    warnings: warningsOf(worker),
  };
}

/** Returns the median of each figure, because a first run also starts tool servers and warms up the code. */
export function middle(all: readonly Figures[]): Figures {
  const pick = (key: keyof Figures) => median(all.map(figures => figures[key]));
  return {
    wallSeconds: pick('wallSeconds'),
    workerCpu: pick('workerCpu'),
    serverCpu: pick('serverCpu'),
    residentMb: pick('residentMb'),
    peakMb: pick('peakMb'),
    bytes: pick('bytes'),
    events: pick('events'),
    warnings: pick('warnings'),
  };
}

/** Titles of `cells`. */
export const FIGURE_TITLES = [
  'wall s',
  'worker CPU s',
  'server CPU s',
  'resident MB',
  'peak MB',
  'KB a run',
  'events',
];

export function cells(figures: Figures): string[] {
  const { wallSeconds, workerCpu, serverCpu, residentMb, peakMb, bytes, events } = figures;
  const seconds = [wallSeconds, workerCpu, serverCpu].map(value => value.toFixed(2));
  return [
    ...[...seconds, residentMb.toFixed(0), peakMb.toFixed(0)],
    ...[(bytes / 1_000).toFixed(1), String(events)],
  ];
}
