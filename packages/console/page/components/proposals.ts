/** Proposals of components and apps to a run: they wait above the composer until a person sends or dismisses them. */
import { signal } from '@preact/signals';
import { visibleText } from 'steersman/base';

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

/** Adds a text that an app wants the person to send. */
export function proposeText(run: string, server: string, text: string): void {
  // A person must see all that they send.
  add(run, { server, action: null, label: visibleText(text.trim()), data: null });
}

/** A repeated action and label replaces the earlier proposal; over the limit, the oldest proposal is removed. */
export function add(run: string, proposal: Omit<Proposal, 'key'>): void {
  made += 1;
  const isSame = ({ server, action, label }: Proposal) =>
    server === proposal.server && action === proposal.action && label === proposal.label;
  const others = (proposals.value[run] ?? []).filter(each => !isSame(each));
  proposals.value = { ...proposals.value, [run]: [...others, { key: `p${made}`, ...proposal }].slice(-MOST) };
}

export function dismiss(run: string, key: string): void {
  const left = (proposals.value[run] ?? []).filter(each => each.key !== key);
  proposals.value = { ...proposals.value, [run]: left };
}
