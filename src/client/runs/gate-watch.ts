/** Answering what a run asks, from a program: each open gate is handed over once. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Gate } from '../../core/gates/gate.js';
import { stateQuery } from '../../workflows/messages.js';
import { askRun } from './ask-run.js';
import type { Temporal } from './connect.js';
import { isFinalQueryError } from './grpc-errors.js';
import { describeRun, isOpen } from './runs.js';
import { pollMsOf } from './watch-run.js';

const STATE_TIMEOUT_MS = 10_000;

/**
 * Takes a gate. The signal is aborted when the gate is closed, or the watch is. `wasOpen`: since before this watch saw
 * the run for the first time.
 */
export type TakeGate = (gate: Gate, signal: AbortSignal, wasOpen: boolean) => void;

/**
 * Hands each gate of the run that is open, or will be, to `take`, once, until the run ends or `signal` says so.
 * Goes on through restarts of server and workers. Rejects where the run can not be asked, now or ever.
 */
export async function watchGates(
  temporal: Temporal,
  id: string,
  take: TakeGate,
  signal: AbortSignal,
): Promise<void> {
  const taken = new Map<string, AbortController>();
  let read = '';
  try {
    while (!signal.aborted) {
      const run = await describeRun(temporal, id).catch(passing);
      if (run !== null && !isOpen(run)) return;
      const mark = run === null ? read : `${run.runId} ${run.historyLength}`;
      if (mark !== read) {
        const question = { id, timeoutMs: STATE_TIMEOUT_MS };
        const gates = (await askRun(temporal, question, stateQuery).catch(passing))?.gates;
        if (signal.aborted) return;
        if (gates !== undefined) {
          handOver(gates, taken, (gate, closed) => take(gate, closed, read === ''));
          read = mark;
        }
      }
      await delay(pollMsOf(temporal), undefined, { signal, ref: false }).catch(() => undefined);
    }
  } finally {
    for (const open of taken.values()) open.abort();
  }
}

function handOver(
  gates: readonly Gate[],
  taken: Map<string, AbortController>,
  take: (gate: Gate, signal: AbortSignal) => void,
): void {
  for (const [gateId, open] of taken) {
    if (!gates.some(gate => gate.id === gateId)) open.abort();
  }
  for (const gate of gates) {
    if (taken.has(gate.id)) continue;
    const open = new AbortController();
    taken.set(gate.id, open);
    take(gate, open.signal);
  }
}

/** Null for trouble that passes. */
function passing(error: unknown): null {
  if (isFinalQueryError(error)) throw error;
  return null;
}
