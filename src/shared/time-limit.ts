/**
 * Returns a signal that also aborts after `ms`. Node 20 may garbage-collect an `AbortSignal.timeout` that only
 * `AbortSignal.any` refers to, and then it never fires: https://github.com/nodejs/node/issues/54614
 */
export function withinTime(ms: number, signal: AbortSignal): AbortSignal {
  const limit = new AbortController();
  setTimeout(() => limit.abort(new DOMException('The time is over.', 'TimeoutError')), ms).unref();
  return AbortSignal.any([signal, limit.signal]);
}
