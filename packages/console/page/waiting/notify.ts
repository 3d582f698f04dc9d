/** Shows a desktop notification when a gate opens while the page is hidden, if the person has allowed it. */
import { effect, signal } from '@preact/signals';
import { gateKey } from '../gates/answers.js';
import { go, waiting } from '../state.js';

const isKnown = typeof Notification === 'function';

/** True if the permission was not requested yet. */
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
  // Gates from before the page was opened are visible on it.
  if (known === null || !isKnown || Notification.permission !== 'granted' || !document.hidden) return;
  for (const { run, goal, gate } of gates) {
    const tag = gateKey(run, gate.id);
    if (known.has(tag)) continue;
    // Several tabs use the same tag, so the browser shows one notification.
    new Notification(gate.title, { body: goal ?? run, tag }).onclick = () => {
      window.focus();
      go('/');
    };
  }
});
