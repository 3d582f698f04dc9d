/**
 * The second task queue of a worker with stateful tool servers, for calls in its own sessions. Only this process polls
 * it, so a call that is scheduled there after its death times out before it starts.
 */
import { randomUUID } from 'node:crypto';
import { isGrpcServiceError, WorkflowNotFoundError } from '@temporalio/client';
import { Worker, type WorkerOptions } from '@temporalio/worker';
import { errorText } from '../base/text/error-text.js';
import { temporalClient } from '../shared/temporal/temporal-client.js';
import type { Parts } from './parts/parts.js';

/** The queue has few calls. The SDK 1.24 ignores `maxConcurrentActivityTaskPolls`. */
const POLLS = { type: 'simple-maximum', maximum: 2 } as const;

export interface SessionWorker {
  /** Resolves when the worker has ended. */
  run(): Promise<void>;
  shutdown(): void;
}

/**
 * Returns null if no server is stateful. `options`: the options of the worker that serves runs, including activities.
 */
export async function createSessionWorker(
  options: WorkerOptions,
  { pool, sessions }: Pick<Parts, 'pool' | 'sessions'>,
  report: (line: string) => void,
): Promise<SessionWorker | null> {
  const {
    workflowsPath: _path,
    workflowBundle: _bundle,
    sinks: _sinks,
    plugins: _plugins,
    // The queue ends with this process: a deployment would register a queue that no later version serves.
    workerDeploymentOptions: _deployment,
    ...own
  } = options;
  if (!options.connection || !pool.config.servers.some(({ stateful }) => stateful)) return null;
  const queue = `${options.taskQueue}/${randomUUID()}`;
  const worker = await Worker.create({ ...own, taskQueue: queue, activityTaskPollerBehavior: POLLS });
  return {
    run: async () => {
      sessions.serve(queue, runId => isOpen(options, runId));
      await worker.run().catch((error: unknown) => {
        report(`Calls in sessions of stateful tool servers are no longer served: ${errorText(error)}`);
      });
    },
    shutdown: () => {
      if (worker.getState() === 'RUNNING') worker.shutdown();
    },
  };
}

/** True if the run is open, or the server can't be asked. */
async function isOpen(
  { connection, namespace = 'default' }: Pick<WorkerOptions, 'connection' | 'namespace'>,
  runId: string,
): Promise<boolean> {
  try {
    const { workflow } = temporalClient({ ...(connection && { connection }), namespace });
    return (await workflow.getHandle(runId).describe()).status.name === 'RUNNING';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    if (isGrpcServiceError(error)) return true;
    throw error;
  }
}
