/** Proposals of components and apps to a run: they wait above the composer until a person sends or dismisses them. */
import { signal } from '@preact/signals';
import { isRecord, isText, jsonBytes, visibleText } from 'steersman/base';
import { ACTION, ACTION_BYTES, ACTION_LABEL_CHARS } from 'steersman/rules';

export interface Proposal {
  key: string;
  /** Tool server of the app that proposes; null for a component. */
  server: string | null;
  /** Name of the component action; null: the label is sent as a plain message. */
  action: string | null;
  label: string;
  data: unknown;
}

const MOST = 5;

export const proposals = signal<Record<string, readonly Proposal[]>>({});
let made = 0;

type ComponentAction = Pick<Proposal, 'label' | 'data'> & { action: string };

/** Returns false if a run would not accept the action. */
export function propose(run: string, { action, label, data }: ComponentAction): boolean {
  if (run === '' || !ACTION.test(action) || !isText(label)) return false;
  const words = seen(label).slice(0, ACTION_LABEL_CHARS);
  const copy = copyOf(data);
  if (words === '' || copy === undefined || jsonBytes(copy) > ACTION_BYTES) return false;
  add(run, { server: null, action, label: words, data: copy });
  return true;
}

/** Adds a text that an app wants the person to send. */
export function proposeText(run: string, server: string, text: string): void {
  add(run, { server, action: null, label: seen(text), data: null });
}

/** Makes hidden characters visible: a person must see all that they send. */
function seen(text: string): string {
  return visibleText(text.trim());
}

/** A repeated action and label replaces the earlier proposal; over the limit, the oldest proposal is removed. */
function add(run: string, proposal: Omit<Proposal, 'key'>): void {
  made += 1;
  const isSame = ({ server, action, label }: Proposal) =>
    server === proposal.server && action === proposal.action && label === proposal.label;
  const others = (proposals.value[run] ?? []).filter(each => !isSame(each));
  proposals.value = { ...proposals.value, [run]: [...others, { key: `p${made}`, ...proposal }].slice(-MOST) };
}

/** Handles an element's event. The event does not leave the element's own place. */
export function tellAction(event: Event, say: (action: string, label: string, data: unknown) => void): void {
  event.stopPropagation();
  const detail: unknown = event instanceof CustomEvent ? event.detail : null;
  if (!isRecord(detail) || !isText(detail.action)) return;
  say(detail.action, isText(detail.label) ? detail.label : detail.action, detail.data ?? null);
}

export function dismiss(run: string, key: string): void {
  const left = (proposals.value[run] ?? []).filter(each => each.key !== key);
  proposals.value = { ...proposals.value, [run]: left };
}

/** Copies the data as JSON, so that it can't change after the person has seen it. */
function copyOf(data: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(data ?? null));
  } catch {
    return undefined;
  }
}
