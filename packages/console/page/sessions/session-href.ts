/** Returns the address of a conversation's page. */
export function sessionHref(id: string): string {
  return `/sessions/${encodeURIComponent(id)}`;
}
