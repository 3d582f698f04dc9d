/** How a run ended, read without a worker: from its result, its failure's details, or its memo. */
import {
  ApplicationFailure,
  TerminatedFailure,
  TimeoutFailure,
  WorkflowFailedError,
} from '@temporalio/client';
import type { Outcome } from '../../core/cause.js';
import { type Cause, causeText } from '../../core/cause.js';
import { isRecord } from '../../core/json.js';
import { unreadableEncoding } from '../../temporal-client.js';
import type { RunResult } from '../../workflows/messages.js';
import type { Temporal } from './connect.js';
import type { RunDescription } from './runs.js';

export interface RunEnd {
  id: string;
  /** Its latest part. */
  runId: string;
  /** Temporal's status in lower case, such as `completed` or `terminated`. */
  status: string;
  /** Null where Temporal ended the run without its doing: terminated, or timed out. */
  outcome: Outcome | null;
  /** Null where the run left none. */
  result: RunResult | null;
  /** Why it failed or was ended. */
  failure: { type: string; message: string } | null;
}

/** Type of the failure of a run whose result was written in an encoding that this client does not know. */
export const UNREADABLE = 'unreadable';

const READ_TIMEOUT_MS = 10_000;

/** Reads the end of a run that is closed. */
export async function readEnd({ client }: Temporal, run: RunDescription): Promise<RunEnd> {
  const { workflowId: id, runId, memo } = run;
  const status = run.status.name.toLowerCase();
  const handle = client.workflow.getHandle(id, runId, { followRuns: false });
  try {
    const value = await client.withDeadline(Date.now() + READ_TIMEOUT_MS, () => handle.result());
    const result = runResultIn(value);
    return { id, runId, status, outcome: result?.outcome ?? null, result, failure: unreadable(value) };
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
    return { id, runId, status, ...failedEnd(error.cause, memo) };
  }
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
  return { type: UNREADABLE, message: `Its result can not be read here: it is encoded as ${encoding}.` };
}

function runResultIn(value: unknown): RunResult | null {
  const isResult = isRecord(value) && typeof value.outcome === 'string' && typeof value.answer === 'string';
  return isResult ? (value as unknown as RunResult) : null;
}

/** One line on how it ended, with figures. */
export function endLine(end: RunEnd): string {
  if (end.failure?.type === UNREADABLE) return `The run ${end.id} was ${end.status}. ${end.failure.message}`;
  if (end.outcome === null) {
    const by = end.failure?.message ? `: ${end.failure.message}` : '';
    return `The run ${end.id} was ${end.status.replace('_', ' ')}${by}. It left no answer.`;
  }
  return goalEndLine({ outcome: end.outcome, cause: end.result?.cause ?? null }, end.failure?.message);
}

/** One line on how a goal ended, and why. `why` is a failure's own message. */
export function goalEndLine(
  { outcome, cause }: { outcome: Outcome; cause: Cause | null },
  why?: string,
): string {
  const name = NAMES[outcome];
  if (outcome === 'completed' || outcome === 'cancelled') return `${name}.`;
  if (outcome === 'failed' && why) return `${name}: ${why}`;
  return cause === null ? `${name}.` : `${name}: ${causeText(cause)}`;
}

const NAMES: Record<Outcome, string> = {
  completed: 'Completed',
  unverified: 'Unverified',
  budget_exhausted: 'Budget exhausted',
  stopped: 'Stopped',
  cancelled: 'Cancelled',
  failed: 'Failed',
};

/** The machine-readable end of a run, as `npm start --json` prints it last. */
export function resultLine(end: RunEnd): object {
  const { id, runId, outcome, result, failure, status } = end;
  return {
    type: 'result',
    id,
    runId,
    status,
    outcome,
    cause: result?.cause ?? null,
    answer: result?.answer ?? '',
    tasks: result?.tasks ?? [],
    usage: result?.usage ?? null,
    counters: result?.counters ?? null,
    ...(failure === null ? {} : { failure }),
  };
}
