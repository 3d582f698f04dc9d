/** Asking a run one of its queries. */
import { setTimeout as delay } from 'node:timers/promises';
import type { QueryDefinition, WorkflowHandle } from '@temporalio/client';
import { askPatiently } from '../../shared/query-errors.js';
import { UnreadableError, unreadableEncoding } from '../../shared/temporal/temporal-client.js';
import type { Temporal } from './connect.js';

/** People wait: a worker that is back is asked soon. */
const MAX_WAIT_MS = 500;
const FIRST_LOOK_AGAIN_MS = 10;
/** A task takes some ten milliseconds, and the next one may follow. */
const LAST_LOOK_AGAIN_MS = 100;

export interface Question {
  id: string;
  /** A part of the run; left out, the latest. */
  runId?: string;
  /** Default 10,000. */
  timeoutMs?: number;
}

/**
 * The answer of the run's worker, asked again while a worker is being replaced or the server is busy. Rejects
 * with the last error when there is none within `timeoutMs`, and at once when there never will be.
 */
export function askRun<T, Args extends unknown[]>(
  { client }: Temporal,
  { id, runId, timeoutMs = 10_000 }: Question,
  query: QueryDefinition<T, Args>,
  ...args: Args
): Promise<T> {
  const handle = client.workflow.getHandle(id, runId);
  const lookUntil = Date.now() + timeoutMs / 2;
  const ask = async () => {
    await caughtUp(handle, lookUntil);
    const answer = await handle.query(query, ...args);
    const encoding = unreadableEncoding(answer);
    if (encoding !== null) throw new UnreadableError(encoding);
    return answer;
  };
  return client.withDeadline(Date.now() + timeoutMs, () =>
    askPatiently(ask, { giveUpMs: timeoutMs, maxWaitMs: MAX_WAIT_MS }),
  );
}

/**
 * Waits while the run has a task to do: a query at that moment would wait in line, and might come with events that
 * no task has covered, which is refused. A look costs less. Not for ever: a task may have no worker.
 */
async function caughtUp(handle: WorkflowHandle, lookUntil: number): Promise<void> {
  for (let waitMs = FIRST_LOOK_AGAIN_MS; Date.now() < lookUntil; ) {
    const { raw } = await handle.describe();
    if (raw.pendingWorkflowTask == null) return;
    await delay(waitMs);
    waitMs = Math.min(waitMs * 2, LAST_LOOK_AGAIN_MS);
  }
}
