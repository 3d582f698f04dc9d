/** A background worker and the owner of the stack, whose child it is. */
import { failureOf } from './protocol.js';
import { isManagedQueue } from './queues.js';
import type { Told } from './worker-pool.js';

/** Whether the owner of a local stack has started this process: the name of its queue alone does not say so. */
export function isOwned(taskQueue: string): boolean {
  return isManagedQueue(taskQueue) && process.send !== undefined;
}

/** It polls: the terminal that waits for it goes on. */
export function announceWorker(): void {
  tell({ ready: true });
}

/** It can't start: the terminal that waits for it shows this error as its own. */
export function reportWorkerFailure(error: unknown): void {
  tell({ failure: failureOf(error) });
}

/** Whoever owns it is gone, and with it whoever could ask it to end. */
export function whenOwnerIsGone(end: () => void): void {
  process.once('disconnect', end);
  // To listen keeps no worker alive that has done its work.
  process.channel?.unref();
  if (!process.connected) end();
}

function tell(told: Told): void {
  // An owner that has gone meanwhile needs to know nothing.
  if (process.connected) process.send?.(told, undefined, undefined, () => {});
}
