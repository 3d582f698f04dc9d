/** Task queues of background workers, and the configuration that each queue's runs were started with. */
import { randomInt } from 'node:crypto';
import { z } from 'zod';
import { stackPaths } from './home.js';
import { readJson, writeJson } from './json-file.js';

/**
 * Returns `steersman-<first 8 digits of the settings' fingerprint>-<number>`. Names are never reused, so that runs left
 * open on an old queue do not continue without being asked for.
 */
export function newQueue(fingerprint: string): string {
  return `steersman-${fingerprint.slice(0, 8)}-${randomInt(1e9, 1e10)}`;
}

/** True if this is the queue of a background worker of a local stack. */
export function isManagedQueue(taskQueue: string): boolean {
  return /^steersman-[0-9a-f]{8}-\d+$/.test(taskQueue);
}

const queuesSchema = z.record(z.string(), z.object({ folder: z.string(), named: z.boolean() }));
/** A configuration folder; `named` is true if the caller who started the worker named it. */
export type QueueFolder = z.infer<typeof queuesSchema>[string];
const MOST_QUEUES = 500;

/** Returns the folder that a queue's first worker was started for; null if unknown. */
export function folderOfQueue(home: string, taskQueue: string): QueueFolder | null {
  return readJson(stackPaths(home).queues, queuesSchema)?.[taskQueue] ?? null;
}

/** Stores the folder of a queue beyond its worker's end, for runs that are left open. Only the stack's owner calls it. */
export function noteQueue(home: string, taskQueue: string, folder: QueueFolder): void {
  const path = stackPaths(home).queues;
  const queues = { ...readJson(path, queuesSchema), [taskQueue]: folder };
  writeJson(path, Object.fromEntries(Object.entries(queues).slice(-MOST_QUEUES)));
}
