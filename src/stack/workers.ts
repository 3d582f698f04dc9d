import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { REBUILD } from '../shared/called-as.js';
import { env } from '../shared/env.js';
import { SteersmanError } from '../shared/errors.js';
import { builtScript } from '../shared/package.js';
import { lastLines, requireScript, startInBackground, waitForStart } from './background.js';
import { stackPaths } from './home.js';
import { readFailure, removeFile, writeJson } from './json-file.js';
import { keepLease } from './lease.js';
import { holderText, withLock } from './lock.js';
import { type ProcessId, terminate } from './process-id.js';
import { queueName } from './queue-name.js';
import {
  isReady,
  liveWorkers,
  nextGeneration,
  noteQueue,
  type QueueFolder,
  readWorkerRecords,
  type WorkerRecord,
  workerFailurePath,
  workerReadyPath,
  workerRecordPath,
} from './records.js';
import type { LocalServer } from './server.js';
import type { Report } from './temporal-binary.js';

/** What a background worker is started with. */
export interface WorkerSettings {
  /** See `projectFingerprint`. */
  fingerprint: string;
  /** Arguments of the worker's script, such as `['--config', dir]`. */
  args?: string[];
  /** Added to this process's environment; part of the fingerprint if it changes what the worker does. */
  env?: Record<string, string>;
  /** Default: this process's working folder. */
  cwd?: string;
  /** Whose configuration it is; kept for runs that are left open. */
  folder?: QueueFolder;
  /** That is another folder than this process works with: its variables are left to the worker. */
  ofOther?: boolean;
  /** Default: `worker.js` of the build. */
  script?: string;
}

export interface EnsureWorkerOptions {
  report: Report;
  /** Default 60 s. */
  timeoutMs?: number;
}

/** A background worker that this process uses until `release`. */
export interface LocalWorker {
  taskQueue: string;
  logFile: string;
  /** False when it ran already. */
  startedHere: boolean;
  release: () => void;
}

/** Worker shutdown lets tools finish for 30 s. */
const WORKER_GRACE_MS = 35_000;
const KEEP_LOGS = 20;

/**
 * The background worker of these settings: the one that runs already, else a new one with a queue of its own.
 * Throws a SteersmanError with the worker's own reason when it can't start.
 */
export function ensureWorker(
  server: LocalServer,
  settings: WorkerSettings,
  options: EnsureWorkerOptions,
): Promise<LocalWorker> {
  const { home, address } = server;
  return underLock(server, options, async () => {
    const running = liveWorkers(home).find(
      ({ fingerprint, ...worker }) => fingerprint === settings.fingerprint && worker.address === address,
    );
    if (running !== undefined && isReady(home, running)) return lease(server, running.taskQueue, false);
    if (running !== undefined) await endWorker(home, running);
    const taskQueue = queueName(settings.fingerprint, nextGeneration(home));
    return startWorker(server, taskQueue, settings, options);
  });
}

/**
 * A worker with these settings for a queue whose runs were left open (`leftOpenRuns`): they go on. New runs of
 * the same settings share it.
 */
export function resumeQueue(
  server: LocalServer,
  taskQueue: string,
  settings: WorkerSettings,
  options: EnsureWorkerOptions,
): Promise<LocalWorker> {
  return underLock(server, options, async () => {
    const running = liveWorkers(server.home).find(worker => worker.taskQueue === taskQueue);
    const isAtWork = running?.address === server.address && isReady(server.home, running);
    if (isAtWork) return lease(server, taskQueue, false);
    if (running !== undefined) await endWorker(server.home, running);
    return startWorker(server, taskQueue, settings, options);
  });
}

/** Ends a worker gracefully, and its record with it. */
export async function endWorker(home: string, worker: WorkerRecord): Promise<void> {
  await terminate(worker, WORKER_GRACE_MS);
  forgetWorker(home, worker);
}

/**
 * Removes what is on record of a worker that has ended or is about to. Another may have taken its queue
 * meanwhile: what is on record of that one stays.
 */
export function forgetWorker(
  home: string,
  { taskQueue, pid, started }: ProcessId & { taskQueue: string },
): void {
  const successor = liveWorkers(home).find(worker => worker.taskQueue === taskQueue);
  if (successor !== undefined && !(successor.pid === pid && successor.started === started)) return;
  removeFile(workerRecordPath(home, taskQueue));
  removeFile(workerReadyPath(home, taskQueue));
  removeFile(workerFailurePath(home, taskQueue));
}

function underLock(
  server: LocalServer,
  options: EnsureWorkerOptions,
  work: () => Promise<LocalWorker>,
): Promise<LocalWorker> {
  const onWait = (pid: number | null) =>
    options.report(`Another terminal is starting a worker. Waiting for ${holderText(pid)}.`);
  return withLock(stackPaths(server.home).workersLock, work, { onWait });
}

function lease(server: LocalServer, taskQueue: string, startedHere: boolean): LocalWorker {
  const release = keepLease(server.home, taskQueue);
  return { taskQueue, logFile: workerLog(server.home, taskQueue), startedHere, release };
}

function workerLog(home: string, taskQueue: string): string {
  return join(home, `worker-${taskQueue}.log`);
}

async function startWorker(
  server: LocalServer,
  taskQueue: string,
  settings: WorkerSettings,
  { report, timeoutMs = 60_000 }: EnsureWorkerOptions,
): Promise<LocalWorker> {
  const { home, address } = server;
  report('Starting a worker …');
  forgetDeadWorkers(home);
  const logFile = workerLog(home, taskQueue);
  const worker = await startInBackground({
    program: process.execPath,
    args: [requireScript(settings.script ?? builtScript('worker.js')), ...(settings.args ?? [])],
    env: workerEnvironment(server, taskQueue, settings),
    cwd: settings.cwd ?? process.cwd(),
    logFile,
  });
  const { fingerprint } = settings;
  const startedAt = new Date().toISOString();
  const record: WorkerRecord = { ...worker, taskQueue, fingerprint, address, startedAt };
  writeJson(workerRecordPath(home, taskQueue), record);
  if (settings.folder !== undefined) noteQueue(home, taskQueue, settings.folder);
  const leased = lease(server, taskQueue, true);
  const result = await waitForStart(worker, timeoutMs, () => isReady(home, record));
  if (result === 'ready') return leased;
  leased.release();
  const failure = readFailure(workerFailurePath(home, taskQueue));
  await endWorker(home, record);
  throw startError(
    failure,
    logFile,
    result === 'timeout' ? `is not ready after ${timeoutMs / 1000} s` : 'ended',
  );
}

function startError(failure: SteersmanError | null, logFile: string, what: string) {
  if (failure !== null) return failure;
  const message = `The worker ${what} while starting. The end of ${logFile}:\n${lastLines(logFile) || '(empty)'}`;
  return new SteersmanError(message, `Is the build missing or old? ${REBUILD}`, 'host');
}

/** This process's environment with the local server instead of any other Temporal that it names. */
function workerEnvironment(
  server: LocalServer,
  taskQueue: string,
  { env: extra = {}, ofOther = false }: WorkerSettings,
): NodeJS.ProcessEnv {
  const all = Object.entries(ofOther ? env.withoutFolder() : env.all());
  const own = all.filter(([name]) => !name.startsWith('TEMPORAL_'));
  return {
    ...Object.fromEntries(own),
    ...extra,
    TEMPORAL_ADDRESS: server.address,
    TEMPORAL_NAMESPACE: 'default',
    STEERSMAN_TASK_QUEUE: taskQueue,
    STEERSMAN_HOME: server.home,
  };
}

function forgetDeadWorkers(home: string): void {
  const live = new Set(liveWorkers(home).map(worker => worker.taskQueue));
  for (const worker of readWorkerRecords(home)) if (!live.has(worker.taskQueue)) forgetWorker(home, worker);
  const logs = readdirSync(home)
    .filter(name => /^worker-.*\.log$/.test(name) && !live.has(name.slice(7, -4)))
    .map(name => join(home, name))
    .sort((left, right) => statSync(right).mtimeMs - statSync(left).mtimeMs);
  for (const path of logs.slice(KEEP_LOGS)) removeFile(path);
}
