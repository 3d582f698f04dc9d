/** The life of a worker process: it connects, serves, drains and closes. */

import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import threads, { type WorkerOptions as ThreadOptions } from 'node:worker_threads';
import type { Client } from '@temporalio/client';
import type { WorkerDeploymentVersion } from '@temporalio/common';
import type { ClientConnectConfig } from '@temporalio/envconfig';
import {
  DefaultLogger,
  type LogEntry,
  Runtime,
  TransportError,
  type WorkerOptions,
} from '@temporalio/worker';
import { errorText } from '../base/text/error-text.js';
import { plural } from '../base/text/format.js';
import { configurationDigest } from '../config/digest.js';
import { resolveHome } from '../shared/local/home.js';
import { announceWorker, isOwned, reportWorkerFailure, whenOwnerIsGone } from '../shared/local/protocol.js';
import { isManagedQueue } from '../shared/local/queues.js';
import { env } from '../shared/process/env.js';
import { SteersmanError } from '../shared/process/errors.js';
import { checkFailpoints, failpoint } from '../shared/process/failpoints.js';
import { errorLine } from '../shared/process/output.js';
import { temporalConfig } from '../shared/temporal/connection-fault.js';
import { temporalClient } from '../shared/temporal/temporal-client.js';
import { shippedBundle } from './bundle.js';
import { connect, connectWhenThere } from './connect.js';
import { createSteersmanWorker } from './create-worker.js';
import { encryptedAs, openHistories, type RecordedHistory, replays, resetPoint } from './replay.js';
import { renewKey } from './serve/renew-key.js';

const SHUTDOWN_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGQUIT'] as const;

export interface RunWorkerOptions {
  configDir: string;
  taskQueue: string;
  /** Returns true if the folder is trusted in its current state. */
  isTrusted: () => boolean;
}

/** Serves until a signal arrives or, in the background of a local stack, its owner has ended. */
export async function runWorker(options: RunWorkerOptions): Promise<void> {
  // An owned worker may serve any folder of its user.
  const owned = isOwned(options.taskQueue);
  const leave = () => process.exit(1);
  if (owned) whenOwnerIsGone(leave);
  process.on('uncaughtExceptionMonitor', (error, origin) =>
    errorLine(
      `This worker ends (${origin}): code that it has loaded, such as a tool or a provider, threw an uncaught error: ${errorText(error)}`,
    ),
  );
  // Signals are handled here instead of by the SDK, because model calls must be aborted at once.
  installRuntime(env.metrics());
  if (!env.stackTraces()) withoutStackTraces();
  try {
    const faults = checkFailpoints();
    if (faults.length > 0) errorLine(`Faults for tests are on: ${faults.join(', ')}.`);
    await serve(options, owned, () => process.off('disconnect', leave));
  } catch (error) {
    if (owned) reportWorkerFailure(error);
    throw error;
  }
}

const THREAD_OF_SDK = 'workflow-worker-thread.js';
const OUR_THREAD = fileURLToPath(new URL('./workflow-thread.cjs', import.meta.url));

/**
 * The SDK records a stack for each promise of workflow code, which only the query `__stack_trace` uses: this costs a
 * third of its thread's time. It has no option for that, so its threads start with a script of ours.
 */
export function withoutStackTraces(): void {
  class Thread extends threads.Worker {
    constructor(script: string | URL, options?: ThreadOptions) {
      const isOfSdk = typeof script === 'string' && basename(script) === THREAD_OF_SDK;
      super(isOfSdk ? OUR_THREAD : script, isOfSdk ? { ...options, workerData: script } : options);
    }
  }
  Object.assign(threads, { Worker: Thread });
}

function installRuntime(metrics: string | undefined): void {
  const telemetry = metrics && { telemetryOptions: { metrics: { prometheus: { bindAddress: metrics } } } };
  try {
    Runtime.install({ logger: new DefaultLogger('WARN', logLine), shutdownSignals: [], ...telemetry });
  } catch (error) {
    if (!telemetry) throw error;
    throw new SteersmanError(
      `The worker cannot serve its metrics at ${metrics}: ${errorText(error)}`,
      'Set STEERSMAN_METRICS to an address and a port that is free, such as 127.0.0.1:9464, or unset it.',
    );
  }
}

/**
 * Replays the open runs of a queue against this version's workflow code, without serving them. Returns false if the
 * code can't continue one of them.
 */
export async function replayOpenRuns(taskQueue: string): Promise<boolean> {
  Runtime.install({ logger: new DefaultLogger('ERROR', logLine), shutdownSignals: [] });
  const config = connectConfig(isManagedQueue(taskQueue));
  const address = config.connectionOptions.address ?? 'localhost:7233';
  const { connection, namespace } = await connect(config, address);
  try {
    const client = temporalClient({ connection, namespace });
    const encrypted: string[] = [];
    const histories = readable(openHistories(client, taskQueue), ({ workflowId }) =>
      encrypted.push(workflowId),
    );
    let [whole, broken] = [0, 0];
    for await (const { workflowId, runId, fault } of replays(histories)) {
      if (fault === null) whole += 1;
      else {
        broken += 1;
        errorLine(`${workflowId} (${runId}) does not replay: ${fault}`);
        errorLine(await howToContinue(client, workflowId, runId));
      }
    }
    const summary = `${plural(whole + broken, 'open run')} of ${taskQueue} replayed by version ${(await shippedBundle()).buildId}: ${whole} go on, ${broken} would not.`;
    errorLine(
      broken === 0
        ? summary
        : `${summary} It is best to let the old version finish these runs: docs/operations.md, Upgrades.`,
    );
    if (encrypted.length > 0) errorLine(notRead(encrypted));
    return broken + encrypted.length === 0;
  } finally {
    await connection.close();
  }
}

async function* readable(
  histories: AsyncIterable<RecordedHistory>,
  leaveOut: (history: RecordedHistory) => void,
): AsyncGenerator<RecordedHistory> {
  for await (const history of histories)
    if (encryptedAs(history) === null) yield history;
    else leaveOut(history);
}

function notRead(ids: readonly string[]): string {
  const some = ids.slice(0, 3).join(', ');
  return `${plural(ids.length, 'open run')} cannot be replayed by this command, for the payloads are encrypted: ${some}${ids.length > 3 ? ', …' : ''}. The program that has the codec can: replayHistories(histories, { dataConverter }) of steersman/testing.`;
}

/** Describes how to continue a run with this version by a reset, and which calls that repeats. */
async function howToContinue(client: Client, workflowId: string, runId: string): Promise<string> {
  const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
  const point = await resetPoint({ workflowId, history });
  if (point === null) return '  No worker has begun it: terminate it, and start it again.';
  const again = point.again.map(call => `\n    ${call}`).join('') || ' nothing';
  return `  To go on with this version: temporal workflow reset --workflow-id ${workflowId} --run-id ${runId} --event-id ${point.eventId} --reason "new version"
  It then does again what came after that event, also what had an effect:${again}`;
}

/** Closes its resources after any end: a worker that could not start must not stay alive. */
async function serve(
  { taskQueue, ...folder }: RunWorkerOptions,
  owned: boolean,
  started: () => void,
): Promise<void> {
  const config = connectConfig(owned);
  const address = config.connectionOptions.address ?? 'localhost:7233';
  const ended = new AbortController();
  const { connection, namespace } = owned
    ? await connect(config, address)
    : await waiting(() => connectWhenThere(config, address, errorLine));
  try {
    const version = await deploymentVersion();
    const { worker, shutdown } = await createSteersmanWorker({
      connection,
      namespace,
      taskQueue,
      ...(version && { temporal: versioned(version) }),
      ...folder,
      home: resolveHome(),
      localStack: owned,
      servesDemo: owned,
      toolFiles: true,
      report: errorLine,
    }).catch((error: unknown) => {
      throw namespaceFault(error, address, namespace);
    });
    await failpoint('worker.before-run');
    const running = worker.run();
    // Handled once: a second signal ends the process immediately.
    for (const signal of SHUTDOWN_SIGNALS) process.once(signal, shutdown);
    if (owned) {
      started();
      whenOwnerIsGone(shutdown);
      announceWorker();
    }
    const digest = configurationDigest(folder.configDir);
    errorLine(
      `Serving the task queue ${taskQueue} at ${address}, namespace ${namespace}, configuration ${digest}.`,
    );
    if (version) errorLine(versionLine(version));
    const read = () => connectConfig(owned).connectionOptions.apiKey ?? undefined;
    void renewKey({ connection, namespace, read, report: errorLine }, ended.signal);
    await running;
  } finally {
    ended.abort();
    await connection.close();
  }
}

/** A signal ends the process immediately and cleanly, because nothing is open yet. */
async function waiting<T>(work: () => Promise<T>): Promise<T> {
  const leave = () => process.exit(0);
  for (const signal of SHUTDOWN_SIGNALS) process.once(signal, leave);
  try {
    return await work();
  } finally {
    for (const signal of SHUTDOWN_SIGNALS) process.off(signal, leave);
  }
}

/**
 * Returns null if the environment names no worker deployment. The default build id is derived from the workflow code.
 */
async function deploymentVersion(): Promise<WorkerDeploymentVersion | null> {
  const { name, buildId } = env.deployment();
  if (name === undefined) return null;
  return { deploymentName: name, buildId: buildId ?? (await shippedBundle()).buildId };
}

/** A run stays with its first version, through continue-as-new. */
function versioned(version: WorkerDeploymentVersion): Pick<WorkerOptions, 'workerDeploymentOptions'> {
  return {
    workerDeploymentOptions: { useWorkerVersioning: true, version, defaultVersioningBehavior: 'PINNED' },
  };
}

function versionLine({ deploymentName, buildId }: WorkerDeploymentVersion): string {
  const make = `temporal worker deployment set-current-version --deployment-name ${deploymentName} --build-id ${buildId}`;
  return `Version ${buildId} of the deployment ${deploymentName}. New runs come to it once it is current: ${make}`;
}

/** The SDK looks the namespace up when a worker is created, and reports the server's response as a text. */
function namespaceFault(error: unknown, address: string, namespace: string): unknown {
  if (!(error instanceof TransportError)) return error;
  const [reason] = error.message.split(': Status {');
  return new SteersmanError(
    `Temporal at ${address} does not serve the namespace ${namespace}: ${reason}`,
    `Set TEMPORAL_NAMESPACE to one that exists, or make it: temporal operator namespace create --namespace ${namespace}`,
  );
}

/** Messages contain texts of models, tools and endpoints, so control characters are escaped. */
function logLine({ message, level, timestampNanos, meta }: LogEntry): void {
  const at = new Date(Number(timestampNanos / 1_000_000n)).toISOString();
  errorLine(`${at} [${level}] ${message}${meta === undefined ? '' : ` ${inspect(meta)}`}`);
}

/** A profile in the user's `temporal.toml` names other servers than the local stack's. */
function connectConfig(managed: boolean): ClientConnectConfig {
  return temporalConfig({ disableFile: managed });
}
