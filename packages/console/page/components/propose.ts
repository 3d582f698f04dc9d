/** Receives a component's proposal: it waits above the composer until a person sends it. */
import { type ComponentAction, readAction } from '@steersman/components';
import type { RunOfPage } from './here.js';
import { kit } from './load.js';
import { add } from './proposals.js';

/** Returns why the person can't send the action; null if it waits for them. */
export function propose({ id, ended }: RunOfPage, given: ComponentAction): string | null {
  if (ended) return kit.say('ended');
  if (id === '') return kit.say('stored');
  const action = readAction(given);
  if (action === null) return kit.say('notProposed');
  add(id, { server: null, ...action });
  return null;
}
