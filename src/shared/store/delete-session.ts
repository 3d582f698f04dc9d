/**
 * Deletes a conversation: all executions of its runs in Temporal, then its lines, then its texts. The store checks once
 * more before the lines are removed, while no other writer can add to them. Texts that a crash leaves behind are
 * removed by retention.
 */
import {
  type Client,
  isGrpcServiceError,
  type WorkflowExecutionDescription,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { idInSession, lastNumberIn, type RunRecord } from '../../run/state/stored-line.js';
import { hintOf, verbCall } from '../process/called-as.js';
import { SteersmanError } from '../process/errors.js';
import { failpoint } from '../process/failpoints.js';
import { hasBranches, type Store } from './store.js';

const NOT_FOUND = 5;

export interface Deletion {
  /** The client of the server that has its runs. Null leaves the runs there. */
  client: Client | null;
  /** Deletes only if no line was added since this time. */
  before?: number;
}

/** Deletes the conversation. @throws SteersmanError if one of its runs is open, or a branch shares its messages. */
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

/** Returns the ids of its runs, and the next id, because a run may have begun a moment ago that the store does not know yet. */
export function idsToLookUp(session: string, runs: readonly RunRecord[]): string[] {
  const next = idInSession(session, lastNumberIn(session, runs) + 1);
  return [...new Set([...runs.map(({ workflowId }) => workflowId), next])];
}

interface Part {
  workflowId: string;
  runId: string;
}

/** Returns all executions of these runs that the server knows. @throws SteersmanError if one is open. */
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
    // The list may lack an execution that ended a moment ago, but earlier ones are older. Quoting keeps a quote in a
    // name from ending the query.
    const query = `WorkflowId = ${JSON.stringify(workflowId)}`;
    for await (const { runId } of client.workflow.list({ query }))
      if (runId !== last.runId) parts.push({ workflowId, runId });
  }
  return parts;
}

/** Describes the latest execution of a run; null if the server does not know it. */
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
      // An earlier deletion has already begun to remove it.
      if (!isGrpcServiceError(error) || error.code !== NOT_FOUND) throw error;
    }
}
