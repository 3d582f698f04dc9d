/** What was typed and not sent: kept for this tab, through reloads and lost connections. */
import { type Signal, signal } from '@preact/signals';

const PREFIX = 'steersman-draft ';
const drafts = new Map<string, Signal<string>>();

export function draft(key: string, first = ''): Signal<string> {
  const known = drafts.get(key);
  if (known) return known;
  const fresh = signal(sessionStorage.getItem(PREFIX + key) ?? first);
  drafts.set(key, fresh);
  // Told at once, and then at each change; what is as it was first needs no place.
  fresh.subscribe(text => keep(key, text === first ? '' : text));
  return fresh;
}

/** It was sent. */
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

/** For a reload. Where the browser has no room for it, it lasts as long as the page, and nothing else fails. */
export function keepInTab(key: string, text: string): void {
  try {
    sessionStorage.setItem(key, text);
  } catch {
    sessionStorage.removeItem(key);
  }
}
