/** A message that was sent to a run, and what becomes of it. */

import type { Receipt } from '../../core/receipt.js';
import { verbCall } from '../../shared/called-as.js';
import { SteersmanError } from '../../shared/errors.js';
import type { FollowUpInput, SteerInput } from '../../workflows/messages.js';
import { type Abortable, abortable, abortedError, itemsUntilAborted } from './abortable.js';
import type { Temporal } from './connect.js';
import { deliver, firstReceipt, newMessageId, uncertainDelivery } from './send.js';
import { watchRun } from './watch-run.js';

export interface SentMessage {
  /** Of the message. */
  id: string;
  /** `sent`: the server has it, and no worker has told what will happen to it. The others as in `Receipt`. */
  state: Receipt['state'] | 'sent';
  /** One or two sentences on what will happen to it, or did; '' where nobody told. */
  how: string;
  /** Waits for its end: applied, or dropped. Throws `ended` where the run ended without a word on it. */
  applied(options?: Abortable): Promise<Receipt>;
}

/** A message without its id. */
export type NewMessage =
  | { kind: 'steer'; input: Omit<SteerInput, 'id'> }
  | { kind: 'follow-up'; input: Omit<FollowUpInput, 'id'> };

export interface Sending extends Abortable {
  id?: string;
  waitForReceipt?: boolean;
}

/**
 * Delivers the message and waits for the run's first word on it. Throws a SteersmanError when the run has ended. Where
 * nobody knows whether the run has it: `uncertain`, or with an id of the sender's own `unreachable`, since then it may
 * be sent again.
 */
export function sendMessage(
  temporal: Temporal,
  runId: string,
  message: NewMessage,
  { id: named, waitForReceipt = true, ...options }: Sending,
): Promise<SentMessage> {
  const id = named ?? newMessageId();
  return abortable(temporal, options, async () => {
    const outgoing =
      message.kind === 'steer'
        ? { kind: message.kind, input: { ...message.input, id } }
        : { kind: message.kind, input: { ...message.input, id } };
    const run = await deliver(temporal, runId, outgoing).catch((error: unknown) => {
      throw named === undefined ? uncertainDelivery(runId, error) : error;
    });
    const receipt = waitForReceipt ? await firstReceipt(temporal, run, id, options.signal) : null;
    return {
      id,
      state: receipt?.state ?? 'sent',
      how: receipt?.how ?? '',
      applied: (given = {}) => abortable(temporal, given, () => lastReceipt(temporal, runId, id, given)),
    };
  });
}

async function lastReceipt(
  temporal: Temporal,
  runId: string,
  messageId: string,
  { signal }: Abortable,
): Promise<Receipt> {
  const watch = watchRun(temporal, runId, { live: false, children: false, ...(signal ? { signal } : {}) });
  for await (const item of itemsUntilAborted(watch, signal)) {
    if (item.type !== 'journal' || item.event.type !== 'receipt' || item.event.id !== messageId) continue;
    const { id, state, how } = item.event;
    if (state === 'applied' || state === 'dropped') return { id, state, how };
  }
  if (signal?.aborted) throw abortedError(signal);
  throw new SteersmanError(
    `The run ${runId} has ended without a word on the message ${messageId}.`,
    `See what it did: ${verbCall(`watch ${runId}`)}`,
    'ended',
  );
}
