/** Waits that an AbortSignal or a time ends. */

/** Calls `work` once the signal is aborted, or at once if it is already. Returns a function that stops listening. */
export function onAbort(signal: AbortSignal | undefined, work: () => void): () => void {
  if (signal?.aborted) work();
  signal?.addEventListener('abort', work, { once: true });
  return () => signal?.removeEventListener('abort', work);
}

/** Returns `work`, or the result of `onStop` after an abort, whichever is first. `onStop` may keep waiting for `work`. */
export async function raceStop<T>(
  signal: AbortSignal,
  work: Promise<T>,
  onStop: () => Promise<T>,
): Promise<T> {
  let release = () => {};
  const stopped = new Promise<T>((resolve, reject) => {
    release = onAbort(signal, () => void Promise.resolve().then(onStop).then(resolve, reject));
  });
  // The loser of the race may still fail later, unnoticed.
  for (const promise of [work, stopped]) promise.catch(() => undefined);
  try {
    return await Promise.race([work, stopped]);
  } finally {
    release();
  }
}

/** Returns the result of `work`, unless `signal` is aborted before. @throws its reason. */
export function unlessOver<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return raceStop(signal, work, () => {
    throw signal.reason;
  });
}

/** A value for `late` of `within` that no work can return as its result. */
export const LATE: unique symbol = Symbol('late');

/** Returns the result of `work`, or `late` if it takes longer than `ms`. */
export function within<T, L>(ms: number, work: Promise<T>, late: L): Promise<T | L> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(late), ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/**
 * Returns a signal that also aborts after `ms`. Node 20 may garbage-collect an `AbortSignal.timeout` that only
 * `AbortSignal.any` refers to, and then it never fires: https://github.com/nodejs/node/issues/54614
 */
export function withinTime(ms: number, signal: AbortSignal): AbortSignal {
  const limit = new AbortController();
  setTimeout(() => limit.abort(new DOMException('The time is over.', 'TimeoutError')), ms).unref();
  return AbortSignal.any([signal, limit.signal]);
}
