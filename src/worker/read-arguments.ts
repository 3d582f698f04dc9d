/** Reads the arguments of a tool call that are too large to travel with its activity. */
import { Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { FAILURE } from '../core/failure.js';
import { failpoint } from '../failpoints.js';
import { toolRequestQuery } from '../workflows/messages.js';

/** Throws `state.unavailable`, retryable: nothing was sent to the tool yet. */
export async function readArguments(client: Client, callId: string): Promise<Record<string, unknown>> {
  const { workflowExecution } = Context.current().info;
  if (!workflowExecution) throw new Error('tool calls are made by a workflow');
  const { workflowId, runId } = workflowExecution;
  try {
    await failpoint('state.read');
    return await client.workflow.getHandle(workflowId, runId).query(toolRequestQuery, callId);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw ApplicationFailure.retryable(
      `The arguments of ${callId} could not be read: ${message}`,
      FAILURE.stateUnavailable,
    );
  }
}
