/** Headers by name in lower case. */
export interface RetryHeaders {
  get(name: string): string | null;
}

/** No endpoint may park a call for longer: 5 minutes, in milliseconds. */
export const MAX_RETRY_AFTER_MS = 300_000;

/**
 * What who answered asks to wait before the next try, in milliseconds, at most `MAX_RETRY_AFTER_MS`: `retry-after-ms`, or
 * `retry-after` in seconds or as an HTTP date. Null when it says nothing readable, or a moment that is over, as with a
 * clock that is behind ours: Temporal takes a pause of 0 for no further try.
 */
export function retryAfterMs(headers: RetryHeaders, nowMs: number): number | null {
  return bounded(saidBy(headers, nowMs));
}

/** The same of an endpoint of models; else what LiteLLM passes on of the provider behind it, as `llm_provider-…`. */
export function passedOnRetryAfterMs(headers: RetryHeaders, nowMs: number): number | null {
  return bounded(saidBy(headers, nowMs) ?? saidBy(headers, nowMs, 'llm_provider-'));
}

function saidBy(headers: RetryHeaders, nowMs: number, before = ''): number | null {
  const ms = fromMs(headers.get(`${before}retry-after-ms`));
  return ms ?? fromRetryAfter(headers.get(`${before}retry-after`), nowMs);
}

function bounded(wait: number | null): number | null {
  return wait === null || wait <= 0 ? null : Math.min(Math.ceil(wait), MAX_RETRY_AFTER_MS);
}

function fromMs(value: string | null): number | null {
  if (value === null || value.trim() === '') return null;
  const ms = Number(value);
  return Number.isFinite(ms) ? ms : null;
}

function fromRetryAfter(value: string | null, nowMs: number): number | null {
  const seconds = fromMs(value);
  if (seconds !== null) return seconds * 1000;
  if (value === null) return null;
  const at = Date.parse(value);
  return Number.isNaN(at) ? null : at - nowMs;
}
