/** What components and apps propose to say to a run: it waits above the composer, and a person sends it or does not. */
import { signal } from '@preact/signals';
import { isRecord, isText, jsonBytes, visibleText } from 'steersman/base';
import { ACTION, ACTION_BYTES, ACTION_LABEL_CHARS } from 'steersman/rules';

export interface Proposal {
  key: string;
  /** Tool server whose app would have it said; null for a component. */
  server: string | null;
  /** Null: the label is all, and goes as a message. */
  action: string | null;
  label: string;
  data: unknown;
}

const MOST = 5;

export const proposals = signal<Record<string, readonly Proposal[]>>({});
let made = 0;

type ComponentAction = Pick<Proposal, 'label' | 'data'> & { action: string };

/** False where it is none that a run would take. */
export function propose(run: string, { action, label, data }: ComponentAction): boolean {
  if (run === '' || !ACTION.test(action) || !isText(label)) return false;
  const words = seen(label).slice(0, ACTION_LABEL_CHARS);
  const copy = copyOf(data);
  if (words === '' || copy === undefined || jsonBytes(copy) > ACTION_BYTES) return false;
  add(run, { server: null, action, label: words, data: copy });
  return true;
}

/** What an app would have the person say. */
export function proposeText(run: string, server: string, text: string): void {
  add(run, { server, action: null, label: seen(text), data: null });
}

/** What a person does not see is not sent by them. */
function seen(text: string): string {
  return visibleText(text.trim());
}

/** The newest of an action and label takes the place of the one before, and of the oldest where there are too many. */
function add(run: string, proposal: Omit<Proposal, 'key'>): void {
  made += 1;
  const isSame = ({ server, action, label }: Proposal) =>
    server === proposal.server && action === proposal.action && label === proposal.label;
  const others = (proposals.value[run] ?? []).filter(each => !isSame(each));
  proposals.value = { ...proposals.value, [run]: [...others, { key: `p${made}`, ...proposal }].slice(-MOST) };
}

/** An element says so by an event: what it says goes no further than to its own place. */
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

/** As JSON has it: what changes later was not seen by the person. */
function copyOf(data: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(data ?? null));
  } catch {
    return undefined;
  }
}
