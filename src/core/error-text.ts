/** What was thrown, in words. */
export function errorText(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** With what lies behind it: `fetch failed` alone helps nobody. */
export function errorTextWithCause(thrown: unknown): string {
  const cause = thrown instanceof Error && thrown.cause instanceof Error ? ` (${thrown.cause.message})` : '';
  return `${errorText(thrown)}${cause}`;
}

/** Seconds of a limit, for a sentence: what is left of one after a subtraction has many decimals. */
export function secondsOf(ms: number): number {
  return Math.round(ms / 10) / 100;
}
