/**
 * Task queues of background workers: `steersman-<first 8 digits of the settings' fingerprint>-<generation>`.
 * Every new worker has a new generation, so that runs left open on an old queue don't go on unasked.
 */
export function queueName(fingerprint: string, generation: number): string {
  return `steersman-${fingerprint.slice(0, 8)}-${generation}`;
}

/** Is this the queue of a background worker of a local stack? */
export function isManagedQueue(taskQueue: string): boolean {
  return /^steersman-[0-9a-f]{8}-\d+$/.test(taskQueue);
}

/** Of a queue of a background worker; 0 of any other. */
export function generationOf(taskQueue: string): number {
  return isManagedQueue(taskQueue) ? Number(taskQueue.slice(taskQueue.lastIndexOf('-') + 1)) : 0;
}
