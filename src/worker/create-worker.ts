/** Creates a worker that serves only runs. */
import type { NativeConnection, WorkerOptions } from '@temporalio/worker';
import { Worker } from '@temporalio/worker';
import type { OwnWorkerOptions, SteersmanPluginOptions } from './parts/parts.js';
import { SteersmanPlugin } from './plugin.js';

export interface SteersmanWorkerOptions extends SteersmanPluginOptions, OwnWorkerOptions {
  connection: NativeConnection;
  namespace: string;
  taskQueue: string;
  /** Options that only Temporal's worker receives. */
  temporal?: Partial<WorkerOptions>;
}

export interface SteersmanWorker {
  worker: Worker;
  /** Ends the worker gracefully: model calls are aborted at once, tools may finish. A second call is harmless. */
  shutdown(): void;
  /** Closes tool servers of a worker that never ran; `worker.run()` closes them at its end. */
  close(): Promise<void>;
}

/** Creates a worker. Throws a SteersmanError if the configuration is wrong or no model is usable. */
export async function createSteersmanWorker(options: SteersmanWorkerOptions): Promise<SteersmanWorker> {
  const { connection, namespace, taskQueue, temporal, ...own } = options;
  const plugin = new SteersmanPlugin(own);
  const worker = await Worker.create({ connection, namespace, taskQueue, ...temporal, plugins: [plugin] });
  const shutdown = () => {
    if (worker.getState() === 'RUNNING') worker.shutdown();
  };
  return { worker, shutdown, close: () => plugin.close() };
}
