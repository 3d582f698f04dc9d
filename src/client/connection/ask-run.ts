/** Queries a run. */
import { setTimeout as delay } from 'node:timers/promises';
import type { QueryDefinition, WorkflowHandle } from '@temporalio/client';
import { askPatiently } from '../../shared/query-errors.js';
import { UnreadableError, unreadableEncoding } from '../../shared/temporal/temporal-client.js';
import type { Temporal } from './connect.js';

/** Short, because people wait for a worker that has just returned. */
const MAX_WAIT_MS = 500;
const FIRST_LOOK_AGAIN_MS = 10;
/** A workflow task takes about ten milliseconds, and the next one may follow. */
const LAST_LOOK_AGAIN_MS = 100;

export interface Question {
  id: string;
  /** Run id of a segment; default: the latest. */
  runId?: string;
  /** Milliseconds. Default 10,000. */
  timeoutMs?: number;
}

/**
 * Returns the result of the query. It is retried while a worker is being replaced or the server is busy. Rejects with
 * the last error after `timeoutMs`, and at once if no retry can help.
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
 * Waits while the run has a pending workflow task: a query would queue behind it, and is refused if events came that no
 * task has covered. Describing the run costs less. The wait is limited, because a task may have no worker.
 */
async function caughtUp(handle: WorkflowHandle, lookUntil: number): Promise<void> {
  for (let waitMs = FIRST_LOOK_AGAIN_MS; Date.now() < lookUntil; ) {
    const { raw } = await handle.describe();
    if (raw.pendingWorkflowTask == null) return;
    await delay(waitMs);
    waitMs = Math.min(waitMs * 2, LAST_LOOK_AGAIN_MS);
  }
}
