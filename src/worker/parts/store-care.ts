/**
 * A worker's maintenance of its runs' store: it tests the store, records whose texts are in it, moves waiting texts
 * into it, and removes content that is older than the settings allow.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { errorText } from '../../base/text/error-text.js';
import { plural } from '../../base/text/format.js';
import { SteersmanError } from '../../shared/process/errors.js';
import type { BlobOwner } from '../../shared/store/blob-store.js';
import { deleteSession, idsToLookUp } from '../../shared/store/delete-session.js';
import type { SessionLine, Store } from '../../shared/store/store.js';

const ASK_TIMEOUT_MS = 10_000;
const CATCH_UP_EVERY_MS = 5_000;
const REMOVE_EVERY_MS = 6 * 3_600_000;
const DAY_MS = 86_400_000;

export interface StoreCare {
  store: Store;
  /** Days for which texts without a conversation are stored after the end of their run. */
  textDays: number;
  /** Days for which conversations are stored after the end of their last run; null means permanently. */
  sessionDays: number | null;
  /** Receives a line for people. */
  report(line: string): void;
  /** Aborted when the worker ends. */
  signal: AbortSignal;
}

/**
 * Maintains a store for the runs of the client's namespace. A failing store does not delay the worker.
 * @returns the globally unique id of the namespace. Null if it can't be read: then nothing is removed.
 */
export async function careForStore(client: Client, care: StoreCare): Promise<string | null> {
  void tryStore(care);
  // The store reports its own failures.
  void repeat(CATCH_UP_EVERY_MS, care.signal, () => care.store.catchUp().catch(() => undefined));
  const namespaceId = await askNamespaceId(client).catch((error: unknown) => {
    care.report(`This worker removes no stored texts: ${errorText(error)}`);
    return null;
  });
  if (namespaceId !== null)
    void repeat(REMOVE_EVERY_MS, care.signal, () => removeOld(client, namespaceId, care));
  return namespaceId;
}

export async function repeat(everyMs: number, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    await work();
    await sleep(everyMs, null, { signal, ref: false }).catch(() => undefined);
  }
}

async function tryStore({ store, report }: StoreCare): Promise<void> {
  try {
    await store.check();
  } catch (error) {
    if (!(error instanceof SteersmanError)) throw error;
    report(`The store does not work: ${error.message}. ${error.remedy}`);
  }
}

/** Removes what is older than the settings allow, by the clock of the store. A failure is reported. */
export async function removeOld(client: Client, namespaceId: string, care: StoreCare): Promise<void> {
  const { store, textDays, sessionDays, report } = care;
  try {
    const now = (await store.now()).getTime();
    const ago = (days: number) => new Date(now - days * DAY_MS);
    await removeOldTexts(client, namespaceId, { store, by: ago(textDays) });
    if (sessionDays === null) return;
    const removed = await removeOldSessions(client, namespaceId, { store, by: ago(sessionDays) });
    if (removed > 0) report(`Removed ${plural(removed, 'conversation')} of more than ${sessionDays} days.`);
  } catch (error) {
    report(`What is old could not be removed from the store, and is tried again: ${errorText(error)}`);
  }
}

/**
 * Removes texts of runs that had ended by `by`. Texts of a conversation stay as long as the conversation.
 * @returns their number.
 */
export function removeOldTexts(
  client: Client,
  namespaceId: string,
  { store: { texts, sessions }, by }: { store: Pick<Store, 'sessions' | 'texts'>; by: Date },
): Promise<number> {
  return texts.prune(by, async (owner, then) => {
    if ((await sessions.find(owner.workflowId)).length > 0) return false;
    return hadEnded(client, namespaceId, { owner, by: then });
  });
}

/**
 * Removes complete conversations whose last run had ended by `by`. A conversation with a branch stays as long as that.
 * @returns their number.
 */
export async function removeOldSessions(
  client: Client,
  namespaceId: string,
  { store, by }: { store: Pick<Store, 'sessions' | 'texts'>; by: Date },
): Promise<number> {
  const all = await store.sessions.list({ limit: Number.POSITIVE_INFINITY });
  const branches = new Map<string, number>();
  const count = ({ parent }: SessionLine, change: number) => {
    if (parent) branches.set(parent.session, (branches.get(parent.session) ?? 0) + change);
  };
  for (const line of all) count(line, 1);
  let removed = 0;
  const faults: unknown[] = [];
  // Branches are younger than their parent, so removing them first frees the parent too.
  for (const line of all.sort((a, b) => b.startedAt - a.startedAt)) {
    if (line.changedAt >= by.getTime() || (branches.get(line.id) ?? 0) > 0) continue;
    try {
      if (!(await isOver(client, namespaceId, { store, session: line.id, by }))) continue;
      await deleteSession(store, line.id, { client, before: by.getTime() });
      count(line, -1);
      removed += 1;
    } catch (error) {
      // A failure does not stop the removal of others.
      faults.push(error);
    }
  }
  if (faults.length > 0) throw faults[0];
  return removed;
}

/** A run of another namespace can't be looked up: it counts as ended if the store has its end. */
async function isOver(
  client: Client,
  namespaceId: string,
  { store, session, by }: { store: Pick<Store, 'sessions'>; session: string; by: Date },
): Promise<boolean> {
  const runs = await store.sessions.runs(session);
  if (runs.some(run => run.namespaceId !== namespaceId && !run.ended)) return false;
  for (const workflowId of idsToLookUp(session, runs))
    if (!(await hadEnded(client, namespaceId, { owner: { namespaceId, workflowId }, by }))) return false;
  return true;
}

async function askNamespaceId(client: Client): Promise<string | null> {
  const { workflowService, options } = client;
  const { namespace } = options;
  const asked = () => workflowService.describeNamespace({ namespace });
  const { namespaceInfo } = await client.withDeadline(Date.now() + ASK_TIMEOUT_MS, asked);
  return namespaceInfo?.id || null;
}

/**
 * True if a run and its root run had ended by then. Runs that the server has deleted had ended earlier. False for a run
 * of another namespace or server. @throws if the server does not answer.
 */
export async function hadEnded(
  client: Client,
  namespaceId: string,
  { owner, by }: { owner: BlobOwner; by: Date },
): Promise<boolean> {
  const { workflowId } = owner;
  if (owner.namespaceId !== namespaceId) return false;
  try {
    const handle = client.workflow.getHandle(workflowId);
    const { closeTime, raw } = await client.withDeadline(Date.now() + ASK_TIMEOUT_MS, () =>
      handle.describe(),
    );
    if (closeTime === undefined || closeTime >= by) return false;
    const root = raw.workflowExecutionInfo?.rootExecution?.workflowId ?? workflowId;
    if (root === workflowId) return true;
    return hadEnded(client, namespaceId, { owner: { ...owner, workflowId: root }, by });
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return true;
    throw error;
  }
}
