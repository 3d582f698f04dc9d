import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { stackPaths } from './home.js';
import { writeFailure, writeJson } from './json-file.js';
import { liveLeases } from './lease.js';
import { withLock } from './lock.js';
import { thisProcess } from './process-id.js';
import { workerFailurePath, workerReadyPath } from './records.js';
import { DEFAULT_IDLE_MS } from './server.js';
import { forgetWorker } from './workers.js';

/** A background worker as it knows itself: `env.home()` and `env.taskQueue()`. */
export interface OwnWorker {
  home: string;
  taskQueue: string;
}

/** Called by a background worker when it polls: the terminal that waits for it goes on. */
export function announceWorker({ home, taskQueue }: OwnWorker): void {
  writeJson(workerReadyPath(home, taskQueue), thisProcess());
}

/** Called by a background worker that can't start: the terminal that waits for it shows this error as its own. */
export function reportWorkerFailure({ home, taskQueue }: OwnWorker, error: unknown): void {
  writeFailure(workerFailurePath(home, taskQueue), error);
}

/** Called by a background worker that has shut down. */
export function retireWorker({ home, taskQueue }: OwnWorker): void {
  forgetWorker(home, { taskQueue, ...thisProcess() });
}

export interface WatchIdleOptions extends OwnWorker {
  /** Of the server that the worker polls. */
  client: Client;
  /** Default DEFAULT_IDLE_MS. */
  idleMs?: number;
  signal?: AbortSignal;
}

/**
 * Resolves `'idle'` when for `idleMs` no client has used this worker and no run was open on its queue (or the
 * server could not be reached): the worker must then shut down and is already off the record, so that no new
 * client picks it. Resolves `'aborted'` when `signal` says so.
 */
export async function watchIdle(options: WatchIdleOptions): Promise<'idle' | 'aborted'> {
  const { home, taskQueue, client, idleMs = DEFAULT_IDLE_MS, signal } = options;
  const isLeased = () => liveLeases(home).some(lease => lease.taskQueue === taskQueue);
  let lastUsed = Date.now();
  while (signal?.aborted !== true) {
    if (isLeased() || (await hasOpenRuns(client, taskQueue))) lastUsed = Date.now();
    if (Date.now() - lastUsed >= idleMs) {
      const retired = await withLock(stackPaths(home).workersLock, async () => {
        if (isLeased()) return false;
        forgetWorker(home, { taskQueue, ...thisProcess() });
        return true;
      });
      if (retired) return 'idle';
      lastUsed = Date.now();
    }
    await delay(Math.min(2_000, idleMs / 4), undefined, signal === undefined ? {} : { signal }).catch(
      () => undefined,
    );
  }
  return 'aborted';
}

/** Of any type: sub-agents' runs count as well. False when the server does not answer. */
async function hasOpenRuns(client: Client, taskQueue: string): Promise<boolean> {
  try {
    const query = `TaskQueue = '${taskQueue}' AND ExecutionStatus = 'Running'`;
    const { count } = await client.withDeadline(Date.now() + 5_000, () => client.workflow.count(query));
    return count > 0;
  } catch {
    return false;
  }
}
