import { join } from 'node:path';
import { z } from 'zod';
import { stackPaths } from './home.js';
import { readJson, writeJson } from './json-file.js';
import { jsonFiles } from './lease.js';
import { isAlive, processIdSchema } from './process-id.js';
import { generationOf } from './queue-name.js';

/** The keeper's only argument, as JSON. */
export const keeperOptionsSchema = z.object({
  home: z.string(),
  /** Path and version of the Temporal CLI. */
  binary: z.string(),
  version: z.string(),
  /** The server ends when nothing has used it for so long. */
  idleMs: z.number().positive(),
});
export type KeeperOptions = z.infer<typeof keeperOptionsSchema>;

const serverRecordSchema = processIdSchema.extend({
  /** host:port of the server's gRPC service. */
  address: z.string(),
  /** URL of the Web UI, at its keeper. */
  webUi: z.string(),
  /** Where the keeper finds it. */
  innerUi: z.string(),
  /** Version of the Temporal CLI. */
  version: z.string(),
  /** ISO time. */
  startedAt: z.string(),
  /** The process that watches the server and ends it when it is idle. */
  keeper: processIdSchema,
});
/** `stack.json`: written by the keeper when the server answers, removed when it ends. Holds no secret. */
export type ServerRecord = z.infer<typeof serverRecordSchema>;

const workerRecordSchema = processIdSchema.extend({
  taskQueue: z.string(),
  /** Of the settings that it works with: see `settingsFingerprint`. */
  fingerprint: z.string(),
  /** The server that it polls. */
  address: z.string(),
  startedAt: z.string(),
});
/** `workers/<queue>.json`: written by the process that starts a worker, removed when the worker ends well. */
export type WorkerRecord = z.infer<typeof workerRecordSchema>;

const queuesSchema = z.record(z.string(), z.object({ folder: z.string(), named: z.boolean() }));
/** A folder of configuration; `named`: by whoever started the worker. */
export type QueueFolder = z.infer<typeof queuesSchema>[string];

const MOST_QUEUES = 500;

/** The folder that a queue's first worker was started for; null where that is not known. */
export function folderOfQueue(home: string, taskQueue: string): QueueFolder | null {
  return readJson(stackPaths(home).queues, queuesSchema)?.[taskQueue] ?? null;
}

/** Outlives the worker: its runs may be left open. Called under the lock of the workers. */
export function noteQueue(home: string, taskQueue: string, folder: QueueFolder): void {
  const path = stackPaths(home).queues;
  const queues = { ...readJson(path, queuesSchema), [taskQueue]: folder };
  writeJson(path, Object.fromEntries(Object.entries(queues).slice(-MOST_QUEUES)));
}

/**
 * Counts up for ever, so that no queue name comes twice in a home: also where the count was lost, for a new worker would
 * serve runs left open on an old queue, unasked. Called under the lock of the workers.
 */
export function nextGeneration(home: string): number {
  const path = join(stackPaths(home).workers, 'generation');
  const recorded = readWorkerRecords(home).map(({ taskQueue }) => taskQueue);
  const queues = [...Object.keys(readJson(stackPaths(home).queues, queuesSchema) ?? {}), ...recorded];
  const last = Math.max(readJson(path, z.int().nonnegative()) ?? 0, ...queues.map(generationOf));
  writeJson(path, last + 1);
  return last + 1;
}

/** The server's record, if it says that there is one; its process may be dead. */
export function readServerRecord(home: string): ServerRecord | undefined {
  return readJson(stackPaths(home).stackFile, serverRecordSchema);
}

export function workerRecordPath(home: string, taskQueue: string): string {
  return join(stackPaths(home).workers, `${taskQueue}.json`);
}

/** Written by a worker that polls its queue; not `.json`, so that it is no record. */
export function workerReadyPath(home: string, taskQueue: string): string {
  return join(stackPaths(home).workers, `${taskQueue}.ready`);
}

export function workerFailurePath(home: string, taskQueue: string): string {
  return join(stackPaths(home).workers, `${taskQueue}.failure`);
}

/** All workers on record, dead ones too. */
export function readWorkerRecords(home: string): WorkerRecord[] {
  return jsonFiles(stackPaths(home).workers)
    .map(path => readJson(path, workerRecordSchema))
    .filter(record => record !== undefined);
}

/** Background workers whose process lives. */
export function liveWorkers(home: string): WorkerRecord[] {
  return readWorkerRecords(home).filter(isAlive);
}

/** Has the process of this record said that it is ready? */
export function isReady(home: string, record: WorkerRecord): boolean {
  const ready = readJson(workerReadyPath(home, record.taskQueue), processIdSchema);
  return ready?.pid === record.pid && ready.started === record.started;
}

/** What runs for this home: a living server if there is one, and the living background workers. */
export interface Stack {
  server: ServerRecord | undefined;
  workers: WorkerRecord[];
}

export function readStack(home: string): Stack {
  const server = readServerRecord(home);
  return { server: server !== undefined && isAlive(server) ? server : undefined, workers: liveWorkers(home) };
}
