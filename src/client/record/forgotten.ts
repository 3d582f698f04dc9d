/** Reads a run that Temporal has deleted from the store: its last stored state. */
import type { RunRecord } from '../../run/state/kept.js';
import type { TraceReport } from '../../run/state/trace.js';
import type { SessionStore } from '../../shared/store/store.js';
import type { RunResult } from '../../workflows/run/definitions.js';
import { keptTrace } from '../kept/kept-runs.js';
import type { RunEnd } from './run-end.js';
import { FORGOTTEN } from './run-snapshot.js';

/** The result is null if the store has no result: the run was terminated within a goal, or lost with its server. */
export async function keptEnd(store: SessionStore, kept: RunRecord): Promise<RunEnd> {
  const { workflowId: id, runId, outcome, cause, rest } = kept;
  const result = await keptResult(store, kept);
  const message = 'Temporal has forgotten it, and the store has no result of it';
  return {
    ...{ id, runId, status: FORGOTTEN, outcome, cause, basis: rest?.basis ?? null, result },
    failure: result ? null : { type: FORGOTTEN, message },
  };
}

async function keptResult(store: SessionStore, kept: RunRecord): Promise<RunResult | null> {
  const { workflowId: id, outcome, cause, answer, mode, goal, usage, rest } = kept;
  if (!kept.ended || outcome === null || cause === null || rest === undefined) return null;
  const trace = await keptReport(store, kept);
  return { id, outcome, cause, text: answer ?? '', mode, goal, usage, ...rest, trace };
}

export async function keptReport(store: SessionStore, kept: RunRecord): Promise<TraceReport> {
  const { outcome, usage, answer, startedAt, changedAt } = kept;
  return {
    ...(await keptTrace(store, kept)),
    ...{ finalAnswer: answer, finishReason: outcome, tokenUsage: usage, totalMs: changedAt - startedAt },
  };
}
