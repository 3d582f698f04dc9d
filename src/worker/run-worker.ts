/** The life of a worker process: connect, serve, drain, close. */

import { inspect } from 'node:util';
import { type ClientConnectConfig, loadClientConnectConfig } from '@temporalio/envconfig';
import { DefaultLogger, type LogEntry, NativeConnection, Runtime, TransportError } from '@temporalio/worker';
import { errorText } from '../core/error-text.js';
import { errorLine } from '../print/output.js';
import { scriptCall } from '../shared/called-as.js';
import { env } from '../shared/env.js';
import { SteersmanError } from '../shared/errors.js';
import { checkFailpoints, failpoint } from '../shared/failpoints.js';
import { temporalClient } from '../shared/temporal-client.js';
import { resolveHome } from '../stack/home.js';
import { isManagedQueue } from '../stack/queue-name.js';
import { readServerRecord } from '../stack/records.js';
import type { OwnWorker } from '../stack/worker-side.js';
import { announceWorker, reportWorkerFailure, retireWorker, watchIdle } from '../stack/worker-side.js';
import { createSteersmanWorker } from './create-worker.js';

const SHUTDOWN_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGQUIT'] as const;

export interface RunWorkerOptions {
  configDir: string;
  taskQueue: string;
  /** Whether that folder is trusted as it is now. */
  isTrusted: () => boolean;
}

/** Serves until a signal or, in the background of a local stack, until nobody needs it. */
export async function runWorker({ taskQueue, ...folder }: RunWorkerOptions): Promise<void> {
  const home = resolveHome();
  const own = { home, taskQueue };
  const managed = isManagedQueue(taskQueue);
  // Signals are taken here, since the model calls in flight are to hear of them at once.
  Runtime.install({ logger: new DefaultLogger('WARN', logLine), shutdownSignals: [] });
  try {
    const faults = checkFailpoints();
    if (faults.length > 0) errorLine(`Faults for tests are on: ${faults.join(', ')}.`);
    await serve(own, folder);
    if (managed) retireWorker(own);
  } catch (error) {
    if (managed) reportWorkerFailure(own, error);
    throw error;
  }
}

/** Whatever ends it, what it opened is closed: a worker that could not start must not live on. */
async function serve(own: OwnWorker, folder: Omit<RunWorkerOptions, 'taskQueue'>): Promise<void> {
  const { home, taskQueue } = own;
  const managed = isManagedQueue(taskQueue);
  const config = connectConfig(managed);
  const address = config.connectionOptions.address ?? 'localhost:7233';
  const { connection, namespace } = await connect(config, address);
  const idle = new AbortController();
  try {
    const { worker, shutdown } = await createSteersmanWorker({
      connection,
      namespace,
      taskQueue,
      ...folder,
      home,
      localStack: isOfLocalStack(own, address),
      servesRehearsal: managed,
      toolFiles: true,
      report: errorLine,
    }).catch((error: unknown) => {
      throw namespaceFault(error, address, namespace);
    });
    const client = temporalClient({ connection, namespace });
    await failpoint('worker.before-run');
    const running = worker.run();
    // Once: a second signal ends the process at once.
    for (const signal of SHUTDOWN_SIGNALS) process.once(signal, shutdown);
    if (managed) {
      announceWorker(own);
      void watchIdle({ ...own, client, signal: idle.signal }).then(end => {
        if (end === 'idle') shutdown();
      });
    }
    errorLine(`Serving the task queue ${taskQueue} at ${address}, namespace ${namespace}.`);
    await running;
  } finally {
    idle.abort();
    await connection.close();
  }
}

/** The SDK looks the namespace up when a worker is made, and gives the server's answer as a text. */
function namespaceFault(error: unknown, address: string, namespace: string): unknown {
  if (!(error instanceof TransportError)) return error;
  const [reason] = error.message.split(': Status {');
  return new SteersmanError(
    `Temporal at ${address} does not serve the namespace ${namespace}: ${reason}`,
    `Set TEMPORAL_NAMESPACE to one that exists, or make it: temporal operator namespace create --namespace ${namespace}`,
  );
}

/** Messages hold what models, tools and endpoints said. */
function logLine({ message, level, timestampNanos, meta }: LogEntry): void {
  const at = new Date(Number(timestampNanos / 1_000_000n)).toISOString();
  errorLine(`${at} [${level}] ${message}${meta === undefined ? '' : ` ${inspect(meta)}`}`);
}

/**
 * Whether this is a background worker of the local stack, which serves any folder of its user. Neither the name of
 * its queue nor a loopback address, behind which a tunnel may be, says so; the record of the stack's server does.
 */
function isOfLocalStack({ home, taskQueue }: OwnWorker, address: string): boolean {
  return isManagedQueue(taskQueue) && readServerRecord(home)?.address === address;
}

/** A profile in the user's `temporal.toml` is for other servers than the local stack's. */
function connectConfig(managed: boolean): ClientConnectConfig {
  return loadClientConnectConfig({ disableFile: managed });
}

async function connect(
  { connectionOptions, namespace }: ClientConnectConfig,
  address: string,
): Promise<{ connection: NativeConnection; namespace: string }> {
  try {
    const connection = await NativeConnection.connect({ ...connectionOptions, address });
    return { connection, namespace: namespace ?? env.temporalNamespace() ?? 'default' };
  } catch (error) {
    const reason = errorText(error);
    throw new SteersmanError(
      `Temporal at ${address} can not be reached: ${reason}`,
      `Start it (${scriptCall('dev')} starts a local one), or set TEMPORAL_ADDRESS to where it runs.`,
    );
  }
}
