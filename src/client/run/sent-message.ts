/** A message that was sent to a run, and what becomes of it. */
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { SignalDefinition } from '@temporalio/common';
import type { Receipt } from '../../core/steering/receipt.js';
import { hintOf, verbCall } from '../../shared/called-as.js';
import { SteersmanError } from '../../shared/errors.js';
import { eventsQuery, stateQuery, withdrawUpdate } from '../../workflows/messages.js';
import { type Abortable, abortable, abortedError, itemsUntilAborted } from '../abortable.js';
import { askRun } from '../ask-run.js';
import type { ClientScope } from '../client-scope.js';
import type { Temporal } from '../connect.js';
import { explainError, isFinalQueryError, isServerAway } from '../grpc-errors.js';
import { watchRun } from '../watch/watch-run.js';
import { mayBeServed, RunLooks } from './runs.js';
import { type Handle, sendToOpen, update } from './send.js';

const RECEIPT_TIMEOUT_MS = 15_000;
const RECEIPT_POLL_MS = 100;

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

export interface Sending extends Abortable {
  id?: string;
  waitForReceipt?: boolean;
}

/**
 * Delivers the message and waits for the run's first word on it. Throws a SteersmanError when the run has ended. Where
 * nobody knows whether the run has it: `uncertain`, or with an id of the sender's own `unreachable`, since then it may
 * be sent again.
 */
export function sendMessage<Input extends { text: string; id?: string }>(
  scope: ClientScope,
  runId: string,
  { as, input }: { as: SignalDefinition<[Input]>; input: Input },
  { id: named, waitForReceipt = true, ...options }: Sending,
): Promise<SentMessage> {
  const { temporal } = scope;
  const id = named ?? `m-${randomBytes(4).toString('hex')}`;
  return abortable(scope, options, async signal => {
    const send = (handle: Handle) => handle.signal(as, { ...input, id });
    const run = await sendToOpen({ ...temporal, signal }, runId, send, input.text).catch((error: unknown) => {
      // Typed again, it would be another message: nobody may do that unaware.
      throw named === undefined && isServerAway(error) ? notTold(runId, error) : error;
    });
    // Where it is known that no worker serves the run, none will tell.
    const asks = waitForReceipt && (await mayBeServed(temporal, run.taskQueue));
    const receipt = asks ? await receiptOf(temporal, runId, id, { signal }) : null;
    return {
      id,
      state: receipt?.state ?? 'sent',
      how: receipt?.how ?? '',
      applied: (given = {}) => abortable(scope, given, signal => lastReceipt(temporal, runId, id, signal)),
    };
  });
}

function notTold(id: string, error: unknown): SteersmanError {
  const why = explainError(error)?.message ?? String(error);
  return new SteersmanError(
    `It is not known whether the run ${id} has the message. ${why}`,
    `Look before you send it again: ${hintOf(verbCall(`watch ${id}`), '`run.events()`')}`,
    'uncertain',
  );
}

async function lastReceipt(
  temporal: Temporal,
  runId: string,
  messageId: string,
  signal: AbortSignal,
): Promise<Receipt> {
  const watch = watchRun(new RunLooks(temporal, runId), { live: false, children: false, signal });
  for await (const item of itemsUntilAborted(watch, signal)) {
    if (item.type !== 'receipt' || item.id !== messageId) continue;
    const { id, state, how } = item;
    if (state === 'applied' || state === 'dropped') return { id, state, how };
  }
  if (signal.aborted) throw abortedError(signal);
  throw new SteersmanError(
    `The run ${runId} has ended without a word on the message ${messageId}.`,
    `See what it did: ${hintOf(verbCall(`watch ${runId}`), '`run.events()`')}`,
    'ended',
  );
}

/**
 * Takes back the last of these messages that waits to be read: its text, or null when none waits, also where a sub-agent
 * has read it meanwhile.
 */
export async function takeBack(
  temporal: Temporal,
  id: string,
  ids: readonly string[],
): Promise<string | null> {
  const { inbox } = await askRun(temporal, { id, timeoutMs: RECEIPT_TIMEOUT_MS }, stateQuery);
  const waiting = inbox.findLast(item => ids.includes(item.id));
  if (!waiting) return null;
  const taken = await update(temporal, id, withdrawUpdate, { id: waiting.id });
  if (taken.agent === undefined) return taken.text;
  const last = await receiptOf(temporal, id, waiting.id, { isWanted: ({ state }) => state !== 'accepted' });
  return last?.state === 'dropped' ? taken.text : null;
}

/** Waits for the run's first word on a message, or the first that is wanted: an event of its journal. */
async function receiptOf(
  temporal: Temporal,
  id: string,
  messageId: string,
  {
    signal,
    isWanted = () => true,
  }: { signal?: AbortSignal | undefined; isWanted?: (receipt: Receipt) => boolean },
): Promise<Receipt | null> {
  const deadline = Date.now() + RECEIPT_TIMEOUT_MS;
  let since = 0;
  while (Date.now() < deadline && signal?.aborted !== true) {
    const page = await eventsAfter(temporal, id, since);
    const found = page?.find(event => event.type === 'receipt' && event.id === messageId && isWanted(event));
    if (found?.type === 'receipt') return { id: found.id, state: found.state, how: found.how };
    since = page?.at(-1)?.seq ?? since;
    if (!page?.length) await delay(RECEIPT_POLL_MS);
  }
  return null;
}

/** Null where no worker answers now. */
async function eventsAfter(temporal: Temporal, id: string, since: number) {
  try {
    return (await askRun(temporal, { id, timeoutMs: RECEIPT_TIMEOUT_MS }, eventsQuery, since)).events;
  } catch (error) {
    if (isFinalQueryError(error)) throw error;
    return null;
  }
}
