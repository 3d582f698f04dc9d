/** Classifies the errors of queries, and repeats a query if that helps, for activities and clients. */
import { setTimeout as sleep } from 'node:timers/promises';
import { REFUSAL } from '../run/limits/failure.js';
import { unlessOver } from './waits.js';

/**
 * `passing`: a worker is being replaced, or a server is busy or away, so asking again helps. `gone`: the server does
 * not know the run. `refused`: the run's code will never answer this. `other`: Temporal has not answered at all.
 */
export type QueryTrouble = 'passing' | 'gone' | 'refused' | 'other';

const TROUBLE: Record<number, QueryTrouble> = {
  1: 'passing', // cancelled, for example by a connection that closes during a request
  3: 'refused', // invalid argument: thrown by the run's code; the query guard and the SDK use it too
  4: 'passing', // deadline exceeded: no worker has answered yet
  5: 'gone', // not found
  8: 'passing', // resource exhausted
  9: 'passing', // failed precondition: the workflow task is being retried
  10: 'passing', // aborted
  14: 'passing', // unavailable
};

/** The SDK's message if its worker stood still or was too slow while it computed the answer. */
const CUT_OFF = 'Script execution timed out';

/** Checks gRPC codes along the causes, and the client's own errors, which may have no code. */
export function queryTrouble(error: unknown): QueryTrouble {
  let at: unknown = error;
  for (let depth = 0; depth < 5 && at instanceof Error; depth++) {
    if (at.message.includes(REFUSAL) || at.message.includes(CUT_OFF)) return 'passing';
    if (at.name === 'WorkflowNotFoundError') return 'gone';
    if (at.name === 'QueryNotRegisteredError' || at.name === 'UnreadableError') return 'refused';
    if ('code' in at && typeof at.code === 'number') return TROUBLE[at.code] ?? 'other';
    at = at.cause;
  }
  return 'other';
}

export interface Patience {
  /** The total time for attempts, milliseconds; the last error counts after it. */
  giveUpMs: number;
  /** First and longest wait between two attempts, milliseconds; each wait doubles. Default 50 and 5,000. */
  minWaitMs?: number;
  maxWaitMs?: number;
  /** The kinds of trouble that justify another attempt. Default: only `passing`. */
  bearing?: readonly QueryTrouble[];
  signal?: AbortSignal;
}

/** Asks until there is an answer. Rejects with the last error, or with the signal's reason once it is aborted. */
export async function askPatiently<T>(ask: () => Promise<T>, patience: Patience): Promise<T> {
  const { giveUpMs, minWaitMs = 50, maxWaitMs = 5_000, bearing = ['passing'], signal } = patience;
  const giveUpAt = performance.now() + giveUpMs;
  for (let waitMs = minWaitMs; ; waitMs = Math.min(waitMs * 2, maxWaitMs)) {
    signal?.throwIfAborted();
    try {
      // A query to a dead worker takes long: it is not waited for after an abort.
      return await (signal ? unlessOver(signal, ask()) : ask());
    } catch (error) {
      signal?.throwIfAborted();
      if (!bearing.includes(queryTrouble(error)) || performance.now() + waitMs > giveUpAt) throw error;
    }
    await sleep(waitMs, undefined, signal ? { signal } : {});
  }
}
