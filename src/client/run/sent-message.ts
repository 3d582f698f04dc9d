/** A message that was sent to a run, and its receipts. */

import { randomBytes } from 'node:crypto';
import type { SignalDefinition } from '@temporalio/common';
import type { Receipt } from '../../run/steering/receipt.js';
import { hintOf, verbCall } from '../../shared/process/called-as.js';
import { SteersmanError } from '../../shared/process/errors.js';
import { withinTime } from '../../shared/time-limit.js';
import { eventsQuery, stateQuery, withdrawUpdate } from '../../workflows/run/definitions.js';
import { type Abortable, abortable, abortedError, itemsUntilAborted } from '../connection/abortable.js';
import { askRun } from '../connection/ask-run.js';
import type { ClientScope } from '../connection/client-scope.js';
import type { Temporal } from '../connection/connect.js';
import { explainError, isServerAway } from '../connection/grpc-errors.js';
import { RunReader } from '../record/run-reader.js';
import { mayBeServed } from '../record/runs.js';
import { pollMsOf, watchRun } from '../watch/watch-run.js';
import { type Handle, sendToOpen, update } from './send.js';

const RECEIPT_TIMEOUT_MS = 15_000;
const RECEIPT_POLL_MS = 100;

export interface SentMessage {
  /** Id of the message. */
  id: string;
  /** `sent`: the server has it, and no worker has sent a receipt yet. Others as in `Receipt`. */
  state: Receipt['state'] | 'sent';
  /** A sentence or two about what will happen to it, or did; '' without a receipt. */
  how: string;
  /** Waits until it is applied or dropped. Throws `ended` if the run ended without a final receipt. */
  applied(options?: Abortable): Promise<Receipt>;
}

export interface Sending extends Abortable {
  id?: string;
  waitForReceipt?: boolean;
}

/**
 * Sends the message and waits for the run's first receipt. Throws a SteersmanError if the run has ended. If it is
 * unknown whether the run has it: `uncertain`, or with the sender's own id `unreachable`, because it may then be
 * resent.
 */
export function sendMessage<Input extends { text?: string; id?: string }>(
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
      // Resent under a new id, it would be a second message: the error must say so.
      throw named === undefined && isServerAway(error) ? notTold(runId, error) : error;
    });
    // If no worker serves the run, no receipt can arrive.
    const asks = waitForReceipt && (await mayBeServed(temporal, run.taskQueue));
    const soon = {
      signal: withinTime(RECEIPT_TIMEOUT_MS, signal),
      pollMs: RECEIPT_POLL_MS,
    };
    const first = asks ? await receiptOf(temporal, runId, id, soon) : null;
    // An older message may have this id, and was read or withdrawn: then its latest receipt counts.
    const receipt = first && named !== undefined ? await latestReceipt(temporal, runId, first) : first;
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

/** Returns the last receipt of the message so far; if the run does not report it, the given one. */
async function latestReceipt(temporal: Temporal, runId: string, first: SeenReceipt): Promise<SeenReceipt> {
  let latest = first;
  for (let since = first.seq; ; ) {
    const page = await askRun(temporal, { id: runId }, eventsQuery, since).catch(() => null);
    for (const event of page?.events ?? [])
      if (event.type === 'receipt' && event.id === first.id) latest = event;
    const next = page?.events.at(-1)?.seq ?? since;
    if (!page?.more || next <= since) return latest;
    since = next;
  }
}

type SeenReceipt = Receipt & { seq: number };

async function lastReceipt(
  temporal: Temporal,
  runId: string,
  messageId: string,
  signal: AbortSignal,
): Promise<Receipt> {
  const isLast = ({ state }: Receipt) => state === 'applied' || state === 'dropped';
  const receipt = await receiptOf(temporal, runId, messageId, { signal, isWanted: isLast });
  if (receipt !== null) return receipt;
  if (signal.aborted) throw abortedError(signal);
  throw new SteersmanError(
    `The run ${runId} has ended without a word on the message ${messageId}.`,
    `See what it did: ${hintOf(verbCall(`watch ${runId}`), '`run.events()`')}`,
    'ended',
  );
}

/**
 * Withdraws the last of these messages that is not read yet: returns its text, or null if all were read, also if a
 * sub-agent has read it meanwhile.
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
  const last = await receiptOf(temporal, id, waiting.id, {
    signal: AbortSignal.timeout(RECEIPT_TIMEOUT_MS),
    pollMs: RECEIPT_POLL_MS,
    isWanted: ({ state }) => state !== 'accepted',
  });
  return last?.state === 'dropped' ? taken.text : null;
}

/** Returns the first receipt of a message, or the first wanted one; null if the run ends or the signal aborts first. */
async function receiptOf(
  temporal: Temporal,
  runId: string,
  messageId: string,
  {
    signal,
    isWanted = () => true,
    pollMs = pollMsOf(temporal),
  }: { signal: AbortSignal; isWanted?: (receipt: Receipt) => boolean; pollMs?: number },
): Promise<SeenReceipt | null> {
  const options = { live: false, children: false, signal, pollMs };
  for await (const event of itemsUntilAborted(watchRun(new RunReader(temporal, runId), options), signal)) {
    if (event.type !== 'receipt' || event.id !== messageId) continue;
    const receipt = { id: event.id, state: event.state, how: event.how, seq: event.seq };
    if (isWanted(receipt)) return receipt;
  }
  return null;
}
