/** Reads a run that Temporal has deleted from the store: its last stored state. */
import type { RunRecord } from '../../run/state/stored-line.js';
import type { TraceReport } from '../../run/state/trace.js';
import type { SessionStore } from '../../shared/store/store.js';
import type { RunResult } from '../../workflows/run/definitions.js';
import { storedTrace } from '../stored/stored-runs.js';
import type { RunEnd } from './run-end.js';
import { FORGOTTEN } from './run-snapshot.js';

/** The result is null if the store has no result: the run was terminated within a goal, or lost with its server. */
export async function storedEnd(store: SessionStore, record: RunRecord): Promise<RunEnd> {
  const { workflowId: id, runId, outcome, cause, rest } = record;
  const result = await storedResult(store, record);
  const message = 'Temporal has forgotten it, and the store has no result of it';
  return {
    ...{ id, runId, status: FORGOTTEN, outcome, cause, basis: rest?.basis ?? null, result },
    failure: result ? null : { type: FORGOTTEN, message },
  };
}

async function storedResult(store: SessionStore, record: RunRecord): Promise<RunResult | null> {
  const { workflowId: id, outcome, cause, answer, mode, goal, usage, rest } = record;
  if (!record.ended || outcome === null || cause === null || rest === undefined) return null;
  const trace = await storedReport(store, record);
  return { id, outcome, cause, text: answer ?? '', mode, goal, usage, ...rest, trace };
}

export async function storedReport(store: SessionStore, record: RunRecord): Promise<TraceReport> {
  const { outcome, usage, answer, startedAt, changedAt } = record;
  return {
    ...(await storedTrace(store, record)),
    ...{ finalAnswer: answer, finishReason: outcome, tokenUsage: usage, totalMs: changedAt - startedAt },
  };
}
