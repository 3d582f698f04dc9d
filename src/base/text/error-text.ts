import { isRecord } from '../json/json.js';

/** Returns a thrown value in words. It never throws itself, even for an object whose message can't be read. */
export function errorText(thrown: unknown): string {
  try {
    const message: unknown = isRecord(thrown) && 'message' in thrown ? thrown.message : thrown;
    if (message === undefined) return String(thrown);
    return isRecord(message) || Array.isArray(message) ? JSON.stringify(message) : String(message);
  } catch {
    return 'an error that cannot be shown';
  }
}

/** Adds the cause, because `fetch failed` alone does not help. */
export function errorTextWithCause(thrown: unknown): string {
  const cause =
    thrown instanceof Error && thrown.cause instanceof Error ? ` (${errorText(thrown.cause)})` : '';
  return `${errorText(thrown)}${cause}`;
}

/** Returns the seconds of a limit, rounded for a sentence, because remaining time has many decimals. */
export function secondsOf(ms: number): number {
  return Math.round(ms / 10) / 100;
}
