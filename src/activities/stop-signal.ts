/** Waiting while an activity may be told to stop. */
import { errorText } from '../base/text/error-text.js';

/** Why an activity is told to stop: a person's wish, the end of the worker's grace, or pause, reset, time-out. */
export type StopReason = 'cancelled' | 'shutdown' | 'other';

export function stopReason(signal: AbortSignal): StopReason {
  const word = errorText(signal.reason);
  if (word === 'CANCELLED') return 'cancelled';
  return word === 'WORKER_SHUTDOWN' ? 'shutdown' : 'other';
}

/** Somebody wants it to end, or nobody can get its result any more: its run was ended from outside, or its time is over. */
export function isUnwanted(signal: AbortSignal): boolean {
  return ['CANCELLED', 'NOT_FOUND', 'TIMED_OUT'].includes(errorText(signal.reason));
}

/** What comes first: `work`, or what `onStop` makes of an abort. `onStop` may go on waiting for `work`. */
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
  // Whichever loses the race may still fail later, unheard.
  for (const promise of [work, stopped]) promise.catch(() => undefined);
  try {
    return await Promise.race([work, stopped]);
  } finally {
    release();
  }
}

/** Nothing was sent. */
export class StoppedBeforeSending extends Error {}

/** What `work` gives before anything is sent. @throws StoppedBeforeSending at once when the activity is to stop. */
export function unlessStopped<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return raceStop(signal, work, () => {
    throw new StoppedBeforeSending();
  });
}

/** What `work` gives, unless `signal` is aborted before. @throws its reason. */
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

/** What a store gives. @throws where it takes longer than `ms`. */
export async function storeWithin<T>(ms: number, work: Promise<T>): Promise<T> {
  const given = await within(ms, work, LATE);
  if (given === LATE) throw new Error(`the store did not answer within ${ms / 1_000} s`);
  return given;
}

/** What `work` gives, or `late` when it takes longer than `ms`. */
export function within<T, L>(ms: number, work: Promise<T>, late: L): Promise<T | L> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(late), ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
