/** Asks a worker for the folders that it serves, through a short workflow: only workers know their configuration. */
import { WorkflowFailedError } from '@temporalio/client';
import { FOLDERS_TYPE } from '../../run/agents/run-config.js';
import { env } from '../../shared/process/env.js';
import { DEFAULT_TASK_QUEUE } from '../../workflows/run/definitions.js';
import type { Temporal } from '../connection/connect.js';

const MOST_MS = 3_000;

/** `named`: the task queue; undefined for a start's. Returns [] if no worker answers soon. */
export async function servedFolders(
  { client, local }: Temporal,
  named: string | undefined,
): Promise<string[]> {
  const own = named ?? env.taskQueue();
  // A worker of the local stack serves any folder.
  if (own === undefined && local !== null) return [];
  const taskQueue = own ?? DEFAULT_TASK_QUEUE;
  try {
    return await client.workflow.execute(FOLDERS_TYPE, {
      taskQueue,
      // Clients that ask at the same time share one workflow and its answer.
      workflowId: `${FOLDERS_TYPE} ${taskQueue}`,
      workflowIdConflictPolicy: 'USE_EXISTING',
      workflowExecutionTimeout: MOST_MS,
      args: [],
    });
  } catch (error) {
    if (error instanceof WorkflowFailedError) return [];
    throw error;
  }
}
