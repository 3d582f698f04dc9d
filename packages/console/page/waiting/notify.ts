/** Shows a desktop notification when a gate opens while the page is hidden, if the person has allowed it. */
import { effect, signal } from '@preact/signals';
import type { WaitingGate } from '@steersman/view';
import { visibleText } from 'steersman/base';
import { gateKey } from '../gates/answers.js';
import { gateTitle } from '../gates/gate-title.js';
import { go, waiting } from '../state.js';
import { t } from '../words/words.js';

const isKnown = typeof Notification === 'function';

/** True if the permission was not requested yet, and pages of this browser can make notifications. */
export const canNotify = signal(isKnown && Notification.permission === 'default' && canMake());

/** False on phones, where the constructor throws. Without the permission, a notification is not shown. */
function canMake(): boolean {
  try {
    new Notification('');
    return true;
  } catch {
    return false;
  }
}

export async function notify(): Promise<void> {
  await Notification.requestPermission();
  canNotify.value = Notification.permission === 'default';
}

/**
 * The text that a screen reader speaks for gates that have just opened. It is emptied when they are closed, because
 * it stays readable.
 */
export const asked = signal('');
let askedOf: readonly string[] = [];

/** A screen reader speaks only what differs from before, so a second gate of the same title gets a space more. */
function say(text: string): void {
  asked.value = text === asked.peek() ? `${text}\u00a0` : text;
}

let announced: Set<string> | null = null;

effect(() => {
  const gates = waiting.value;
  if (gates === null) return;
  const known = announced;
  announced = new Set(gates.map(({ run, gate }) => gateKey(run, gate.id)));
  const fresh = gates.filter(({ run, gate }) => known !== null && !known.has(gateKey(run, gate.id)));
  if (fresh.length > 0) {
    askedOf = fresh.map(({ run, gate }) => gateKey(run, gate.id));
    say(fresh.map(each => t('asks', { title: gateTitle(each) })).join(' '));
  } else if (!askedOf.some(key => announced?.has(key))) asked.value = '';
  // Gates from before the page was opened are visible on it.
  if (known === null || !isKnown || Notification.permission !== 'granted' || !document.hidden) return;
  for (const each of fresh) show(each);
});

function show(each: WaitingGate): void {
  const { run, goal, gate } = each;
  // Several tabs use the same tag, so the browser shows one notification.
  const tag = gateKey(run, gate.id);
  try {
    new Notification(gateTitle(each), { body: visibleText(goal ?? run), tag }).onclick = () => {
      window.focus();
      go('/');
    };
  } catch {
    // Browsers of phones allow notifications, but let no page make one. The rest of the frame must still be taken.
  }
}
