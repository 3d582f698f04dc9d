/** Asking a run one of its queries. */
import type { QueryDefinition } from '@temporalio/client';
import { askPatiently } from '../query-errors.js';
import type { Temporal } from './connect.js';

/** People wait: a worker that is back is asked soon. */
const MAX_WAIT_MS = 500;

export interface Question {
  id: string;
  /** A part of the run; left out, the latest. */
  runId?: string;
  timeoutMs: number;
}

/**
 * The answer of the run's worker, asked again while a worker is being replaced or the server is busy. Rejects
 * with the last error when there is none within `timeoutMs`, and at once when there never will be.
 */
export function askRun<T, Args extends unknown[]>(
  { client }: Temporal,
  { id, runId, timeoutMs }: Question,
  query: QueryDefinition<T, Args>,
  ...args: Args
): Promise<T> {
  const handle = client.workflow.getHandle(id, runId);
  const ask = () => handle.query(query, ...args);
  const deadline = Date.now() + timeoutMs;
  return client.withDeadline(deadline, () =>
    askPatiently(ask, { giveUpMs: timeoutMs, maxWaitMs: MAX_WAIT_MS }),
  );
}
