/**
 * The second task queue of a worker with stateful tool servers: its own alone, for calls in sessions that it holds.
 * Nobody else polls it, so what is scheduled there after the worker died runs out of its time to start.
 */
import { randomUUID } from 'node:crypto';
import { isGrpcServiceError, WorkflowNotFoundError } from '@temporalio/client';
import { Worker, type WorkerOptions } from '@temporalio/worker';
import { errorText } from '../base/text/error-text.js';
import { temporalClient } from '../shared/temporal/temporal-client.js';
import type { Parts } from './parts/parts.js';

/** It waits for a few calls only. */
const POLLS = 2;

export interface SessionWorker {
  /** Resolves when it has ended. */
  run(): Promise<void>;
  shutdown(): void;
}

/** Null where no server is stateful. `options`: those of the worker that serves runs, activities included. */
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
    // Its queue goes with this process: in a deployment it would be one that no later version serves.
    workerDeploymentOptions: _deployment,
    ...own
  } = options;
  if (!options.connection || !pool.config.servers.some(({ stateful }) => stateful)) return null;
  const queue = `${options.taskQueue}/${randomUUID()}`;
  const worker = await Worker.create({ ...own, taskQueue: queue, maxConcurrentActivityTaskPolls: POLLS });
  return {
    run: async () => {
      sessions.serve(queue, runId => isOpen(options, runId));
      await worker.run().catch((error: unknown) => {
        report(`Calls in sessions of stateful tool servers are served no more: ${errorText(error)}`);
      });
    },
    shutdown: () => {
      if (worker.getState() === 'RUNNING') worker.shutdown();
    },
  };
}

/** Whether the run still runs. While the server can not be asked, it does. */
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
