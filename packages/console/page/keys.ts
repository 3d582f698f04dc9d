/** Handles keys of the page, except while a person types text. */
import { signal } from '@preact/signals';
import { go } from './state.js';

export const keysOpen = signal(false);

const PAGES: Partial<Record<string, string>> = { 1: '/', 2: '/runs' };

addEventListener('keydown', event => {
  const { key, target } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (target instanceof Element && target.closest('input, textarea, select, dialog')) return;
  if (act(key)) event.preventDefault();
});

function act(key: string): boolean {
  const page = PAGES[key];
  if (page !== undefined) go(page);
  else if (key === '?') keysOpen.value = true;
  else if (key === 'j' || key === 'ArrowDown') return moveTo(1);
  else if (key === 'k' || key === 'ArrowUp') return moveTo(-1);
  else if (key === 'c') return focusOn(document.querySelector('[data-composer]'));
  else if (key === ']') return tabBeside(1);
  else if (key === '[') return tabBeside(-1);
  else return false;
  return true;
}

/** Moves from gate to gate; without a gate, through the entries of a conversation. */
function moveTo(step: 1 | -1): boolean {
  const gates = [...document.querySelectorAll('[data-gate]')];
  const all = gates.length > 0 ? gates : [...document.querySelectorAll('[data-entry]')];
  const at = all.findIndex(each => each.contains(document.activeElement));
  const next = at < 0 ? (step > 0 && gates.length > 0 ? 0 : all.length - 1) : at + step;
  return focusOn(all[next] ?? null);
}

/** Opens the next or previous view of the run. */
function tabBeside(step: 1 | -1): boolean {
  const tabs = [...document.querySelectorAll<HTMLElement>('[data-tab]')];
  const at = tabs.findIndex(tab => tab.hasAttribute('aria-current'));
  tabs[at + step]?.click();
  return focusOn(tabs[at + step] ?? null);
}

function focusOn(element: Element | null): boolean {
  if (!(element instanceof HTMLElement)) return false;
  element.focus();
  element.scrollIntoView({ block: 'nearest' });
  return true;
}
