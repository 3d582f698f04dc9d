/** A worker for runs alone. */
import type { NativeConnection, WorkerOptions } from '@temporalio/worker';
import { Worker } from '@temporalio/worker';
import type { OwnWorkerOptions, SteersmanPluginOptions } from './parts/parts.js';
import { SteersmanPlugin } from './plugin.js';

export interface SteersmanWorkerOptions extends SteersmanPluginOptions, OwnWorkerOptions {
  connection: NativeConnection;
  namespace: string;
  taskQueue: string;
  /** What Temporal alone is told. */
  temporal?: Partial<WorkerOptions>;
}

export interface SteersmanWorker {
  worker: Worker;
  /** Ends it in order: model calls in flight are given up at once, tools may finish. Twice is harmless. */
  shutdown(): void;
  /** Closes tool servers, for a worker that never ran: `worker.run()` does it at its end. */
  close(): Promise<void>;
}

/** Builds a worker; throws SteersmanError where the configuration is wrong or no model is usable. */
export async function createSteersmanWorker(options: SteersmanWorkerOptions): Promise<SteersmanWorker> {
  const { connection, namespace, taskQueue, temporal, ...own } = options;
  const plugin = new SteersmanPlugin(own);
  const worker = await Worker.create({ connection, namespace, taskQueue, ...temporal, plugins: [plugin] });
  const shutdown = () => {
    if (worker.getState() === 'RUNNING') worker.shutdown();
  };
  return { worker, shutdown, close: () => plugin.close() };
}
