/** Reads a run's history, and its texts that are stored by reference. */
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { SteersmanError } from '../../shared/process/errors.js';
import { textsOfConversation } from '../../shared/store/store.js';
import type { ReadableStore } from '../connection/client-scope.js';
import type { Temporal } from '../connection/connect.js';
import { noStore } from '../stored/stored-runs.js';
import { describeRun } from './runs.js';

const FETCH_TIMEOUT_MS = 120_000;
/** More than any text that a run stores. */
const MOST_BYTES = 64 * 1024 * 1024;

/** Returns the Temporal history of the run's latest segment, as JSON that replay tests take. */
export async function readHistory(temporal: Temporal, id: string): Promise<{ runId: string; json: string }> {
  const { client } = temporal;
  const { runId } = await describeRun(temporal, id);
  const handle = client.workflow.getHandle(id, runId);
  const history = await client.withDeadline(Date.now() + FETCH_TIMEOUT_MS, () => handle.fetchHistory());
  return { runId, json: historyToJSON(history) };
}

/**
 * Returns the complete text of a reference of the run, or of an earlier one of its conversation. Throws if the store
 * lacks it.
 */
export async function readStored(kept: ReadableStore | null, id: string, ref: string): Promise<string> {
  if (kept === null) throw noStore();
  const read = textsOfConversation(kept.texts, kept.sessions, async () => null);
  const page = await read(id, ref, { offset: 0, length: MOST_BYTES });
  if (page) return page.data.toString('utf8');
  throw new SteersmanError(
    `There is no stored text ${ref} of the run ${id} in the store of this machine.`,
    'Give the reference exactly as it is shown, where the store of the worker is read: its folder, or the same DATABASE_URL.',
    'not_found',
  );
}
