/** The token of this tab: from the link that opened it, else its stored one, else another tab's. */
const KEY = 'steersman-token';

export function storedToken(): string | null {
  return sessionStorage.getItem(KEY);
}

export function keepToken(token: string): void {
  if (token !== '') sessionStorage.setItem(KEY, token);
}

/**
 * While its console is away, a tab has its token in memory only: another program that takes the port could serve a page
 * that reads the stored one when the tab is reloaded. If the console is behind TLS, no other program can pose as it.
 */
export function hideToken(): void {
  if (location.protocol !== 'https:') sessionStorage.removeItem(KEY);
}

/** Exchanges the code of a one-time link for a token; null if the address has no code, or it was used. */
export async function tokenOfLink(): Promise<string | null> {
  const word = location.hash.slice(1);
  if (!/^[\w-]{40,}$/.test(word)) return null;
  // The code must not stay in the browser's history or in a bookmark.
  history.replaceState(null, '', location.pathname);
  const response = await fetch('/api/session', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ link: word }),
  }).catch(() => null);
  if (!response?.ok) return null;
  return ((await response.json()) as { token: string }).token;
}
