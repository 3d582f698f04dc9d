/** Headers by name in lower case. */
export interface RetryHeaders {
  get(name: string): string | null;
}

/** The longest wait that an endpoint can impose: 5 minutes, in milliseconds. */
export const MAX_RETRY_AFTER_MS = 300_000;

/**
 * Returns the wait before the next attempt that an answer asks for, in milliseconds, at most `MAX_RETRY_AFTER_MS`. It
 * reads `retry-after-ms`, or `retry-after` in seconds or as an HTTP date. Null if there is no readable value, or a time
 * in the past, as from a clock that is behind ours: Temporal would take a wait of 0 as the instruction not to retry.
 */
export function retryAfterMs(headers: RetryHeaders, nowMs: number): number | null {
  return bounded(delayOf(headers, nowMs));
}

/** Like `retryAfterMs`, otherwise from the headers of a provider behind LiteLLM, passed on as `llm_provider-…`. */
export function passedOnRetryAfterMs(headers: RetryHeaders, nowMs: number): number | null {
  return bounded(delayOf(headers, nowMs) ?? delayOf(headers, nowMs, 'llm_provider-'));
}

function delayOf(headers: RetryHeaders, nowMs: number, before = ''): number | null {
  const ms = fromMs(headers.get(`${before}retry-after-ms`));
  return ms ?? fromRetryAfter(headers.get(`${before}retry-after`), nowMs);
}

/** Bounds a wait in milliseconds; returns null for null, and for 0 or less. */
export function bounded(wait: number | null): number | null {
  return wait !== null && wait > 0 ? Math.min(Math.ceil(wait), MAX_RETRY_AFTER_MS) : null;
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

const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const;
const PART = String.raw`[\d.]+ ?(?:ms|milliseconds?|s|sec(?:ond)?s?|m|min(?:ute)?s?|h|hours?)(?![a-z])`;
const WAIT = new RegExp(String.raw`(?:retry|again|wait\w*|resets?)\b.{0,30}?((?:${PART}[ ,]*)+)`, 'i');

/** Azure API Management: "Quota will be replenished in 00:02:30". */
const CLOCK = /\b(?:again|replenished) in (\d\d):(\d\d):(\d\d)\b/i;

/** Returns the wait in a text, milliseconds: "try again in 1m30.5s", "retry after 20 seconds". Null without one. */
export function waitInWords(text: string): number | null {
  const asked = WAIT.exec(text)?.[1];
  if (asked === undefined) return fromClock(text);
  const parts = [...asked.matchAll(/([\d.]+) ?(ms|milli|s|m|h)/gi)];
  return bounded(parts.reduce((sum, [, number, unit = '']) => sum + Number(number) * unitMs(unit), 0));
}

function fromClock(text: string): number | null {
  const [, hours, minutes, seconds] = CLOCK.exec(text) ?? [];
  return hours === undefined
    ? null
    : bounded(((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1_000);
}

function unitMs(unit: string): number {
  const name = unit.toLowerCase().replace('milli', 'ms');
  return UNIT_MS[name as keyof typeof UNIT_MS] ?? 0;
}
