/**
 * Removing a conversation whole: its runs in Temporal, all of their parts, then its lines, then its texts. The store
 * judges once more before the lines go, while nobody can add to them. Texts that are left by a crash go by retention.
 */
import {
  type Client,
  isGrpcServiceError,
  type WorkflowExecutionDescription,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { idInSession, lastNumberIn, type RunRecord } from '../../run/state/kept.js';
import { hintOf, verbCall } from '../process/called-as.js';
import { SteersmanError } from '../process/errors.js';
import { failpoint } from '../process/failpoints.js';
import { hasBranches, type Store } from './store.js';

const NOT_FOUND = 5;

export interface Deletion {
  /** Whose server knows its runs. Null: they stay there. */
  client: Client | null;
  /** Only where nothing was added to its lines since. */
  before?: number;
}

/** @throws SteersmanError where a run of it is open, or a branch shares what it says. */
export async function deleteSession(
  { sessions, texts }: Pick<Store, 'sessions' | 'texts'>,
  session: string,
  { client, before }: Deletion,
): Promise<{ workflowIds: string[] }> {
  const branches = await sessions.branches(session);
  if (branches.length > 0) throw hasBranches(session, branches);
  const runs = await sessions.runs(session);
  if (client !== null)
    await deleteRuns(client, await closedParts(client, session, idsToLookUp(session, runs)));
  const removed = await sessions.remove(session, { judged: runs, ...(before !== undefined && { before }) });
  await failpoint('delete.lines-gone');
  await texts.removeOf(removed.workflowIds);
  return { workflowIds: [...new Set(removed.workflowIds)] };
}

/** Its runs, and the one that may have begun a moment ago: the store does not know it yet. */
export function idsToLookUp(session: string, runs: readonly RunRecord[]): string[] {
  const next = idInSession(session, lastNumberIn(session, runs) + 1);
  return [...new Set([...runs.map(({ workflowId }) => workflowId), next])];
}

interface Part {
  workflowId: string;
  runId: string;
}

/** All parts of these runs that the server knows. @throws SteersmanError where one is open. */
async function closedParts(client: Client, session: string, workflowIds: readonly string[]): Promise<Part[]> {
  const parts: Part[] = [];
  for (const workflowId of workflowIds) {
    const last = await lastPart(client, workflowId);
    if (last === null) continue;
    if (last.closeTime === undefined)
      throw new SteersmanError(
        `The run ${workflowId} of the conversation ${session} is open.`,
        `End it first: ${hintOf(verbCall(`stop ${workflowId}`), '`run.stop()`')}`,
        'open',
      );
    parts.push({ workflowId, runId: last.runId });
    // A list may not have what ended a moment ago; earlier parts are older. A quote in a name ends no query.
    const query = `WorkflowId = ${JSON.stringify(workflowId)}`;
    for await (const { runId } of client.workflow.list({ query }))
      if (runId !== last.runId) parts.push({ workflowId, runId });
  }
  return parts;
}

/** What the server knows of the latest part of a run; null for an unknown one. */
export async function lastPart(
  client: Client,
  workflowId: string,
): Promise<WorkflowExecutionDescription | null> {
  try {
    return await client.workflow.getHandle(workflowId).describe();
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}

async function deleteRuns(client: Client, parts: readonly Part[]): Promise<void> {
  const { namespace } = client.options;
  for (const workflowExecution of parts)
    try {
      await client.workflowService.deleteWorkflowExecution({ namespace, workflowExecution });
    } catch (error) {
      // A deletion before this one has begun to remove it.
      if (!isGrpcServiceError(error) || error.code !== NOT_FOUND) throw error;
    }
}
