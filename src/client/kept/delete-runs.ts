/** Removing the runs of a conversation from Temporal, all of their parts. */
import { isGrpcServiceError, WorkflowNotFoundError } from '@temporalio/client';
import { hintOf, verbCall } from '../../shared/called-as.js';
import { SteersmanError } from '../../shared/errors.js';
import type { Temporal } from '../connect.js';
import { NOT_FOUND } from '../grpc-errors.js';
import { isOpen, type RunDescription } from '../run/runs.js';

interface Part {
  workflowId: string;
  runId: string;
}

/** All parts of these runs that the server knows. Throws a SteersmanError where one is open. */
export async function closedRuns(
  { client }: Temporal,
  session: string,
  workflowIds: readonly string[],
): Promise<Part[]> {
  const parts: Part[] = [];
  for (const workflowId of workflowIds) {
    const last = await lastPart(client, workflowId);
    if (last === null) continue;
    if (isOpen(last))
      throw new SteersmanError(
        `The run ${workflowId} of the conversation ${session} is open: what it says would be kept again.`,
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

export async function lastPart(
  client: Temporal['client'],
  workflowId: string,
): Promise<RunDescription | null> {
  try {
    return await client.workflow.getHandle(workflowId).describe();
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}

export async function deleteRuns({ client }: Temporal, parts: readonly Part[]): Promise<void> {
  const { namespace } = client.options;
  for (const workflowExecution of parts)
    await client.workflowService
      .deleteWorkflowExecution({ namespace, workflowExecution })
      .catch((error: unknown) => {
        // A list may still have what was deleted a moment ago.
        if (!(isGrpcServiceError(error) && error.code === NOT_FOUND)) throw error;
      });
}
