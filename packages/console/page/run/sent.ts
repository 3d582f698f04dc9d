/** Messages that this tab has sent, until the run tells of them: nothing typed is lost, whatever fails. Pure. */
import type { Item, MessageItem } from '../items.js';

export interface SentNote {
  id: string;
  text: string;
  kind: 'steer' | 'follow-up' | 'component-action';
  /** Of a component's action, whose label is the text. */
  action?: string;
  data?: unknown;
  to: string;
  when: string;
  at: number;
  /** Why it was not sent; null while it is on its way, or there. */
  fault: string | null;
}

/** How far a message is, in one word. `sending`: the run has not said a word on it. */
export type MessageState = 'sending' | 'failed' | 'accepted' | 'applied' | 'queued' | 'dropped';

export function stateOf({ receipts }: Pick<MessageItem, 'receipts'>): MessageState {
  return receipts.at(-1)?.state ?? 'sending';
}

/** It waits to be read, and can be taken back. */
export function isWithdrawable(item: Pick<MessageItem, 'receipts'>): boolean {
  const state = stateOf(item);
  return state === 'accepted' || state === 'queued';
}

/** Those that the run has not told of. */
export function unsettled(sent: readonly SentNote[], items: readonly Item[]): SentNote[] {
  const told = new Set(items.flatMap(item => (item.kind === 'message' ? [item.id] : [])));
  return sent.filter(({ id }) => !told.has(id));
}

/** The whole text of a message: its receipt has its beginning alone. */
export function wholeText({ id, text }: Pick<MessageItem, 'id' | 'text'>, sent: readonly SentNote[]): string {
  return sent.find(note => note.id === id)?.text ?? text;
}
