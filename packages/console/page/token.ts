/** The token of this tab: from the link that opened it, else its stored one, else another tab's. */
const KEY = 'steersman-token';

export function keptToken(): string | null {
  return sessionStorage.getItem(KEY);
}

export function keepToken(token: string): void {
  if (token !== '') sessionStorage.setItem(KEY, token);
}

/** Exchanges the word of a one-use link for a token; null if the address has no word, or it was used. */
export async function tokenOfLink(): Promise<string | null> {
  const word = location.hash.slice(1);
  if (!/^[\w-]{40,}$/.test(word)) return null;
  // The word must not stay in the browser's history or in a bookmark.
  history.replaceState(null, '', location.pathname);
  const response = await fetch('/api/session', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ link: word }),
  }).catch(() => null);
  if (!response?.ok) return null;
  return ((await response.json()) as { token: string }).token;
}
