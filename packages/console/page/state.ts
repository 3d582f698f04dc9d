/** The page's state as signals: frames write it, components read it. */
import { signal } from '@preact/signals';
import type { Frame, StreamAsk, StreamState, UntoldRun, WaitingGate } from '@steersman/view';
import type { RunModel } from './run-model.js';

export const streamState = signal<StreamState>('connecting');
/** Describes why Temporal can't be reached; else null. */
export const trouble = signal<string | null>(null);
/** All open gates; null until the first frame. */
export const waiting = signal<WaitingGate[] | null>(null);
/** Runs that wait for a person, but have no worker that could name their gates. */
export const untold = signal<UntoldRun[]>([]);
/** True if more runs wait than are listed. */
export const moreWait = signal(false);
export const path = signal(location.pathname);
/** The part of the address that names a view of a run, or an event; without `#`. */
export const hash = signal(location.hash.slice(1));

const runs = new Map<string, RunModel>();
let wantRuns: (runs: StreamAsk['runs']) => void = () => undefined;

export function connectWants(want: typeof wantRuns): void {
  wantRuns = want;
}

/** Subscribes to the events of a displayed run; `leave` ends that. */
export function follow(run: RunModel): void {
  runs.set(run.id, run);
  sayWants();
}

export function leave(id: string): void {
  runs.delete(id);
  sayWants();
}

/** Returns the model of a displayed run. */
export function followed(id: string): RunModel | undefined {
  return runs.get(id);
}

function sayWants(): void {
  wantRuns(Object.fromEntries([...runs.values()].map(run => [run.id, { since: run.lastSeq }])));
}

export function take(frame: Frame): void {
  if (frame.type === 'waiting') {
    waiting.value = stillOpen(waiting.value ?? [], frame);
    untold.value = frame.untold;
    moreWait.value = frame.more;
  } else if (frame.type === 'trouble') trouble.value = frame.message;
  else if ('run' in frame) runs.get(frame.run)?.take(frame);
}

/** A restarted console lacks the gates of runs that have not answered yet, so the page keeps those that it has. */
function stillOpen(
  before: readonly WaitingGate[],
  { gates, untold }: Extract<Frame, { type: 'waiting' }>,
): WaitingGate[] {
  const listed = new Set(gates.map(({ run }) => run));
  const silent = new Set(untold.map(({ run }) => run).filter(run => !listed.has(run)));
  const kept = before.filter(({ run }) => silent.has(run));
  return [...gates, ...kept].sort((a, b) => a.gate.openedAt - b.gate.openedAt);
}

export function go(to: string): void {
  history.pushState(null, '', to);
  readAddress();
  scrollTo(0, 0);
}

/** Names a view of the page in its address, so that a reload or a link leads there. */
export function goWithin(to: string): void {
  history.replaceState(null, '', `${location.pathname}#${to}`);
  readAddress();
}

function readAddress(): void {
  path.value = location.pathname;
  hash.value = location.hash.slice(1);
}

addEventListener('popstate', readAddress);
addEventListener('hashchange', readAddress);
