import { isRecord } from '../json/json.js';

/** What was thrown, in words: a text whatever it is, for anything may be thrown, also what throws where it is read. */
export function errorText(thrown: unknown): string {
  try {
    const said: unknown = isRecord(thrown) && 'message' in thrown ? thrown.message : thrown;
    if (said === undefined) return String(thrown);
    return isRecord(said) || Array.isArray(said) ? JSON.stringify(said) : String(said);
  } catch {
    return 'an error that can not be shown';
  }
}

/** With what lies behind it: `fetch failed` alone helps nobody. */
export function errorTextWithCause(thrown: unknown): string {
  const cause =
    thrown instanceof Error && thrown.cause instanceof Error ? ` (${errorText(thrown.cause)})` : '';
  return `${errorText(thrown)}${cause}`;
}

/** Seconds of a limit, for a sentence: what is left of one after a subtraction has many decimals. */
export function secondsOf(ms: number): number {
  return Math.round(ms / 10) / 100;
}
