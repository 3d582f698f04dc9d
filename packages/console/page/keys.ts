/** Handles keys of the page, except while a person types text. */
import { signal } from '@preact/signals';
import { go } from './state.js';

export const keysOpen = signal(false);

const PAGES: Partial<Record<string, string>> = { 1: '/', 2: '/runs', 3: '/sessions' };

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
  else return false;
  return true;
}

/** Moves from gate to gate; without a gate, arrow keys scroll. */
function moveTo(step: 1 | -1): boolean {
  const gates = [...document.querySelectorAll('[data-gate]')];
  const at = gates.findIndex(gate => gate.contains(document.activeElement));
  const next = at < 0 ? (step > 0 ? 0 : gates.length - 1) : at + step;
  return focusOn(gates[next] ?? null);
}

function focusOn(element: Element | null): boolean {
  if (!(element instanceof HTMLElement)) return false;
  element.focus();
  element.scrollIntoView({ block: 'nearest' });
  return true;
}
