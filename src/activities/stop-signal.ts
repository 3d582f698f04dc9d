/** Helpers for waiting while an activity may be told to stop. */
import { errorText } from '../base/text/error-text.js';
import { LATE, raceStop, within } from '../shared/waits.js';

/** Why an activity must stop: a person's wish, the end of the worker's grace time, or pause, reset, time-out. */
export type StopReason = 'cancelled' | 'shutdown' | 'other';

export function stopReason(signal: AbortSignal): StopReason {
  const word = errorText(signal.reason);
  if (word === 'CANCELLED') return 'cancelled';
  return word === 'WORKER_SHUTDOWN' ? 'shutdown' : 'other';
}

/** True if its end was requested, or its result can no longer arrive: its run was ended from outside, or its time is over. */
export function isUnwanted(signal: AbortSignal): boolean {
  return ['CANCELLED', 'NOT_FOUND', 'TIMED_OUT'].includes(errorText(signal.reason));
}

/** Stopped before anything was sent. */
export class StoppedBeforeSending extends Error {}

/** Returns the result of `work` before anything is sent. @throws StoppedBeforeSending as soon as the activity must stop. */
export function unlessStopped<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return raceStop(signal, work, () => {
    throw new StoppedBeforeSending();
  });
}

export function pause(ms: number): Promise<void> {
  return new Promise(resolve => {
    setTimeout(resolve, ms);
  });
}

/** Returns a store's result. @throws if it takes longer than `ms`. */
export async function storeWithin<T>(ms: number, work: Promise<T>): Promise<T> {
  const given = await within(ms, work, LATE);
  if (given === LATE) throw new Error(`the store did not answer within ${ms / 1_000} s`);
  return given;
}
