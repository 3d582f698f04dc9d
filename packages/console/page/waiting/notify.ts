/** A word on the desktop when something begins to wait and nobody looks: only where a person asked for it. */
import { effect, signal } from '@preact/signals';
import { gateKey } from '../gates/answers.js';
import { go, waiting } from '../state.js';

const isKnown = typeof Notification === 'function';

/** It may be asked for, and was not yet. */
export const canNotify = signal(isKnown && Notification.permission === 'default');

export async function notify(): Promise<void> {
  await Notification.requestPermission();
  canNotify.value = Notification.permission === 'default';
}

let told: Set<string> | null = null;

effect(() => {
  const gates = waiting.value;
  if (gates === null) return;
  const known = told;
  told = new Set(gates.map(({ run, gate }) => gateKey(run, gate.id)));
  // What waited before the page was opened is seen on it.
  if (known === null || !isKnown || Notification.permission !== 'granted' || !document.hidden) return;
  for (const { run, goal, gate } of gates) {
    const tag = gateKey(run, gate.id);
    if (known.has(tag)) continue;
    // Of several tabs that say it, one is seen: it has one tag.
    new Notification(gate.title, { body: goal ?? run, tag }).onclick = () => {
      window.focus();
      go('/');
    };
  }
});
