/** What was thrown, in words. */
export function errorText(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** With what lies behind it: `fetch failed` alone helps nobody. */
export function errorTextWithCause(thrown: unknown): string {
  const cause = thrown instanceof Error && thrown.cause instanceof Error ? ` (${thrown.cause.message})` : '';
  return `${errorText(thrown)}${cause}`;
}
