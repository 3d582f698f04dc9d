/** The token of this tab: from the link that opened it, else what it had, else what another tab of this console has. */
const KEY = 'steersman-token';

export function keptToken(): string | null {
  return sessionStorage.getItem(KEY);
}

export function keepToken(token: string): void {
  if (token !== '') sessionStorage.setItem(KEY, token);
}

/** Exchanges the word of a one-use link; null where the address has none, or it was used. */
export async function tokenOfLink(): Promise<string | null> {
  const word = location.hash.slice(1);
  if (!/^[\w-]{40,}$/.test(word)) return null;
  // Neither in the history of the browser nor in a bookmark.
  history.replaceState(null, '', location.pathname);
  const response = await fetch('/api/session', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ link: word }),
  }).catch(() => null);
  if (!response?.ok) return null;
  return ((await response.json()) as { token: string }).token;
}
