/** Stores unsent text for this tab, through reloads and lost connections. */
import { type Signal, signal } from '@preact/signals';

const PREFIX = 'steersman-draft ';
const drafts = new Map<string, Signal<string>>();

export function draft(key: string, first = ''): Signal<string> {
  const known = drafts.get(key);
  if (known) return known;
  const fresh = signal(sessionStorage.getItem(PREFIX + key) ?? first);
  drafts.set(key, fresh);
  // The subscriber runs at once and after each change; an unchanged text is not stored.
  fresh.subscribe(text => keep(key, text === first ? '' : text));
  return fresh;
}

/** Returns an id for what is sent. Pages of other machines without TLS have no `crypto.randomUUID`. */
export function freshId(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-');
}

/** Removes drafts that were sent. */
export function forget(...keys: string[]): void {
  for (const key of keys) {
    drafts.delete(key);
    sessionStorage.removeItem(PREFIX + key);
  }
}

function keep(key: string, text: string): void {
  if (text === '') sessionStorage.removeItem(PREFIX + key);
  else keepInTab(PREFIX + key, text);
}

/** Stores a value for a reload. If the browser has no room for it, it lasts only as long as the page. */
export function keepInTab(key: string, text: string): void {
  try {
    sessionStorage.setItem(key, text);
  } catch {
    sessionStorage.removeItem(key);
  }
}
