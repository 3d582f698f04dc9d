/** Actions that components propose: checked as a run checks them, before a person sees them. */
import { isText, jsonBytes, visibleText } from 'steersman/base';
import { ACTION, ACTION_BYTES, ACTION_LABEL_CHARS } from 'steersman/rules';

export interface ComponentAction {
  /** The action's name: the component's or the handler's. */
  action: string;
  /** The text that the person reads before sending it. */
  label: string;
  data: unknown;
}

/** Returns the action as a run takes it, with hidden characters made visible; null if a run would refuse it. */
export function readAction({ action, label, data }: ComponentAction): ComponentAction | null {
  if (!ACTION.test(action) || !isText(label)) return null;
  const words = visibleText(label.trim()).slice(0, ACTION_LABEL_CHARS);
  const copy = copyOf(data);
  if (words === '' || copy === undefined || jsonBytes(copy) > ACTION_BYTES) return null;
  return { action, label: words, data: copy };
}

/** Copies the data as JSON, so that it can't change after the person has seen it. */
function copyOf(data: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(data ?? null));
  } catch {
    return undefined;
  }
}
