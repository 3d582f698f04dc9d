/** Helpers for waiting while an activity may be told to stop. */
import { errorText } from '../base/text/error-text.js';

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

/** Returns `work`, or the result of `onStop` after an abort, whichever is first. `onStop` may keep waiting for `work`. */
export async function raceStop<T>(
  signal: AbortSignal,
  work: Promise<T>,
  onStop: () => Promise<T>,
): Promise<T> {
  let release = () => {};
  const stopped = new Promise<T>((resolve, reject) => {
    const stop = () => void Promise.resolve().then(onStop).then(resolve, reject);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop);
    release = () => signal.removeEventListener('abort', stop);
  });
  // The loser of the race may still fail later, unnoticed.
  for (const promise of [work, stopped]) promise.catch(() => undefined);
  try {
    return await Promise.race([work, stopped]);
  } finally {
    release();
  }
}

/** Stopped before anything was sent. */
export class StoppedBeforeSending extends Error {}

/** Returns the result of `work` before anything is sent. @throws StoppedBeforeSending as soon as the activity must stop. */
export function unlessStopped<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return raceStop(signal, work, () => {
    throw new StoppedBeforeSending();
  });
}

/** Returns the result of `work`, unless `signal` is aborted before. @throws its reason. */
export function unlessOver<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return raceStop(signal, work, () => {
    throw signal.reason;
  });
}

export function pause(ms: number): Promise<void> {
  return new Promise(resolve => {
    setTimeout(resolve, ms);
  });
}

const LATE = Symbol('late');

/** Returns a store's result. @throws if it takes longer than `ms`. */
export async function storeWithin<T>(ms: number, work: Promise<T>): Promise<T> {
  const given = await within(ms, work, LATE);
  if (given === LATE) throw new Error(`the store did not answer within ${ms / 1_000} s`);
  return given;
}

/** Returns the result of `work`, or `late` if it takes longer than `ms`. */
export function within<T, L>(ms: number, work: Promise<T>, late: L): Promise<T | L> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(late), ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
