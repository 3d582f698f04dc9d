import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { WORKFLOW_TYPE } from '../../run/agents/run-config.js';
import { isManagedQueue } from './queues.js';

/** Query for all open runs, in the language of the server's list. */
export const OPEN_RUNS = `WorkflowType = '${WORKFLOW_TYPE}' AND ExecutionStatus = 'Running'`;

/** Quotes a text for a list query: a queue, an id. */
export function queryText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

export function openRunsOf(taskQueue: string): string {
  return `${OPEN_RUNS} AND TaskQueue = ${queryText(taskQueue)}`;
}

/** Returns open runs whose worker is gone, after a crash or `stopStack`. They wait for a new worker of their queue. */
export function leftOpenRuns(client: Client, local: readonly string[]): Promise<WorkflowExecutionInfo[]> {
  return openRuns(client, local, false);
}

/** Returns the number of open runs that have a worker. */
export async function servedRuns(client: Client, local: readonly string[]): Promise<number> {
  return (await openRuns(client, local, true)).length;
}

/** Sub-agents are included, because they outlive the run that started them. */
async function openRuns(
  client: Client,
  local: readonly string[],
  served: boolean,
): Promise<WorkflowExecutionInfo[]> {
  const runs: WorkflowExecutionInfo[] = [];
  for await (const run of client.workflow.list({ query: OPEN_RUNS })) runs.push(run);
  const queues = [...new Set(runs.map(run => run.taskQueue))];
  const isOfWorker = await Promise.all(queues.map(queue => isServed(client, local, queue)));
  return runs.filter(run => isOfWorker[queues.indexOf(run.taskQueue)] === served);
}

/** True if a worker serves this queue: one of the stack's own, whose queues are in `local`, or one that the server knows. */
export async function isServed(
  client: Client,
  local: readonly string[],
  taskQueue: string,
): Promise<boolean> {
  if (local.includes(taskQueue)) return true;
  if (isManagedQueue(taskQueue)) return false;
  return (await recentPollers(client, taskQueue, 'workflows')).length > 0;
}

/** Counts workflows of every type, including an application's own. */
export async function hasOpenRuns(client: Client, taskQueue: string): Promise<boolean> {
  const query = `TaskQueue = ${queryText(taskQueue)} AND ExecutionStatus = 'Running'`;
  return (await client.workflow.count(query)).count > 0;
}

/** A poll lasts up to a minute, so a worker that has not polled for longer is gone. */
const RECENT_POLL_MS = 90_000;
const QUEUE_TYPES = { workflows: 1, activities: 2 } as const;

export type QueueType = keyof typeof QUEUE_TYPES;

/** Returns the sorted identities (`<process id>@<host>` by default) of workers that poll for this kind of task. */
export async function recentPollers(client: Client, taskQueue: string, type: QueueType): Promise<string[]> {
  const { pollers } = await client.workflowService.describeTaskQueue({
    namespace: client.options.namespace,
    taskQueue: { name: taskQueue },
    taskQueueType: QUEUE_TYPES[type],
  });
  const oldest = Date.now() - RECENT_POLL_MS;
  const recent = (pollers ?? []).filter(
    ({ lastAccessTime }) => Number(lastAccessTime?.seconds ?? 0) * 1_000 >= oldest,
  );
  return [...new Set(recent.map(({ identity }) => identity ?? '?'))].sort();
}
