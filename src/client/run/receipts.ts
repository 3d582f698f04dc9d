/** The receipts of a message that was sent to a run. */

import type { Receipt } from '../../run/steering/receipt.js';
import { hintOf, verbCall } from '../../shared/process/called-as.js';
import { SteersmanError } from '../../shared/process/errors.js';
import { eventsQuery } from '../../workflows/run/definitions.js';
import { abortedError, itemsUntilAborted } from '../connection/abortable.js';
import { askRun } from '../connection/ask-run.js';
import type { Temporal } from '../connection/connect.js';
import { RunReader } from '../record/run-reader.js';
import { pollMsOf, watchRun } from '../watch/watch-run.js';

/** Returns the last receipt of the message so far; if the run does not report it, the given one. */
export async function latestReceipt(
  temporal: Temporal,
  runId: string,
  first: SeenReceipt,
): Promise<SeenReceipt> {
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

export type SeenReceipt = Receipt & { seq: number };

export async function lastReceipt(
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
    `The run ${runId} has ended and says nothing about the message ${messageId}.`,
    `See what it did: ${hintOf(verbCall(`watch ${runId}`), '`run.events()`')}`,
    'ended',
  );
}

/** Returns the first receipt of a message, or the first wanted one; null if the run ends or the signal aborts first. */
export async function receiptOf(
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
