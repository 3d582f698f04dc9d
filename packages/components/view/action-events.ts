/** Actions that the code of components dispatches as events. */
import { isRecord, isText } from 'steersman/base';
import type { ComponentAction } from './action.js';

/** Reads the event `component-action`, which goes no further; null if it names no action. */
export function actionOf(event: Event): ComponentAction | null {
  event.stopPropagation();
  const detail: unknown = event instanceof CustomEvent ? event.detail : null;
  if (!isRecord(detail) || !isText(detail.action)) return null;
  const { action, label, data = null } = detail;
  return { action, label: isText(label) ? label : action, data };
}

/** Listens for actions that components dispatch at `target`, such as the window. Returns a function that ends that. */
export function listenForActions(target: EventTarget, hear: (action: ComponentAction) => void): () => void {
  const listen = (event: Event) => {
    const action = actionOf(event);
    if (action !== null) hear(action);
  };
  target.addEventListener('component-action', listen);
  return () => target.removeEventListener('component-action', listen);
}
