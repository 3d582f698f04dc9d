/** The end of a run, read without a worker: from its result, its failure's details, or its memo. */
import {
  ApplicationFailure,
  TerminatedFailure,
  TimeoutFailure,
  WorkflowFailedError,
} from '@temporalio/client';
import { isRecord } from '../../base/json/json.js';
import type { Basis } from '../../run/evidence/evidence.js';
import type { Cause, Outcome } from '../../run/limits/cause.js';
import { unreadableEncoding } from '../../shared/temporal/temporal-client.js';
import type { RunResult } from '../../workflows/run/definitions.js';
import type { Temporal } from '../connection/connect.js';
import type { RunDescription } from './runs.js';

export interface RunEnd {
  id: string;
  /** Run id of its latest segment. */
  runId: string;
  /** Temporal's status in lower case, such as `completed` or `terminated`. */
  status: string;
  /** Null if Temporal ended the run from outside: it was terminated, or timed out. */
  outcome: Outcome | null;
  /** The cause of the outcome; null if its result lacks it. */
  cause: Cause | null;
  /** The basis of a completed run; else null. */
  basis: Basis | null;
  /** Null if the run left no result. */
  result: RunResult | null;
  /** The reason why it failed or was ended. */
  failure: { type: string; message: string } | null;
}

/** Failure type of a run whose result has an encoding that this client does not know. */
export const UNREADABLE = 'unreadable';

const READ_TIMEOUT_MS = 10_000;

/** Reads the end of a closed run. */
export async function readEnd({ client }: Temporal, run: RunDescription): Promise<RunEnd> {
  const { workflowId: id, runId, memo } = run;
  const status = run.status.name.toLowerCase();
  const handle = client.workflow.getHandle(id, runId, { followRuns: false });
  try {
    const value = await client.withDeadline(Date.now() + READ_TIMEOUT_MS, () => handle.result());
    const result = runResultIn(value);
    return endOf({ id, runId, status, outcome: result?.outcome ?? null, result, failure: unreadable(value) });
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
    return endOf({ id, runId, status, ...failedEnd(error.cause, memo) });
  }
}

function endOf(end: Omit<RunEnd, 'cause' | 'basis'>): RunEnd {
  return { ...end, cause: end.result?.cause ?? null, basis: end.result?.basis ?? null };
}

function failedEnd(
  cause: Error | undefined,
  memo: Record<string, unknown> | undefined,
): Pick<RunEnd, 'outcome' | 'result' | 'failure'> {
  const message = cause?.message ?? '';
  if (cause instanceof ApplicationFailure) {
    const failure = { type: cause.type ?? '', message };
    return { outcome: 'failed', result: runResultIn(cause.details?.[0]), failure };
  }
  if (cause instanceof TerminatedFailure) {
    return { outcome: null, result: null, failure: { type: 'terminated', message } };
  }
  if (cause instanceof TimeoutFailure) {
    return { outcome: null, result: null, failure: { type: 'timed_out', message } };
  }
  return { outcome: 'cancelled', result: runResultIn(memo?.result), failure: null };
}

function unreadable(value: unknown): RunEnd['failure'] {
  const encoding = unreadableEncoding(value);
  if (encoding === null) return null;
  return { type: UNREADABLE, message: `Its result cannot be read here: it is encoded as ${encoding}.` };
}

function runResultIn(value: unknown): RunResult | null {
  const isResult = isRecord(value) && typeof value.outcome === 'string' && typeof value.text === 'string';
  return isResult ? (value as unknown as RunResult) : null;
}
