/** Messages that this tab has sent, until the run reports them, so that no typed text is lost. Pure. */
import type { Item, MessageItem } from '@steersman/view';

export interface SentNote {
  id: string;
  text: string;
  kind: 'steer' | 'follow-up' | 'component-action';
  /** Set for a component's action, whose label is the text. */
  action?: string;
  data?: unknown;
  to: string;
  when: string;
  at: number;
  /** The reason why it was not sent; null while it is being sent, or after it was. */
  fault: string | null;
}

/** State of a message. `sending`: the run has not reported it yet. */
export type MessageState = 'sending' | 'failed' | 'accepted' | 'applied' | 'queued' | 'dropped';

export function stateOf({ receipts }: Pick<MessageItem, 'receipts'>): MessageState {
  return receipts.at(-1)?.state ?? 'sending';
}

/** True if the message was not read yet and can be withdrawn. */
export function isWithdrawable(item: Pick<MessageItem, 'receipts'>): boolean {
  const state = stateOf(item);
  return state === 'accepted' || state === 'queued';
}

/** Returns the messages that the run has not reported. */
export function unsettled(sent: readonly SentNote[], items: readonly Item[]): SentNote[] {
  const reported = new Set(items.flatMap(item => (item.kind === 'message' ? [item.id] : [])));
  return sent.filter(({ id }) => !reported.has(id));
}

/** Returns the complete text of a message: its receipt has only the beginning. */
export function wholeText({ id, text }: Pick<MessageItem, 'id' | 'text'>, sent: readonly SentNote[]): string {
  return sent.find(note => note.id === id)?.text ?? text;
}
