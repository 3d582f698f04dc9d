import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { WORKFLOW_TYPE } from '../../run/agents/run-config.js';
import { isManagedQueue } from './queues.js';

/** A filter of the server's list. */
export const OPEN_RUNS = `WorkflowType = '${WORKFLOW_TYPE}' AND ExecutionStatus = 'Running'`;

/** A text in a filter of the server's list: a queue, an id. */
export function queryText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** The open runs of a task queue. */
export function openRunsOf(taskQueue: string): string {
  return `${OPEN_RUNS} AND TaskQueue = ${queryText(taskQueue)}`;
}

/** Open runs whose worker is gone, left by a crash or by `stopStack`: they wait until somebody calls `resumeQueue`. */
export function leftOpenRuns(client: Client, local: readonly string[]): Promise<WorkflowExecutionInfo[]> {
  return openRuns(client, local, false);
}

/** How many open runs a worker works on. */
export async function servedRuns(client: Client, local: readonly string[]): Promise<number> {
  return (await openRuns(client, local, true)).length;
}

/** Also those that another run has started: they outlive it. */
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

/** Does a worker work on this queue: one of the stack's own (`local`: their queues), or one that the server knows of? */
export async function isServed(
  client: Client,
  local: readonly string[],
  taskQueue: string,
): Promise<boolean> {
  if (local.includes(taskQueue)) return true;
  if (isManagedQueue(taskQueue)) return false;
  return (await recentPollers(client, taskQueue, 'workflows')).length > 0;
}

/** Of any type: runs of an application's own count as well. */
export async function hasOpenRuns(client: Client, taskQueue: string): Promise<boolean> {
  const query = `TaskQueue = ${queryText(taskQueue)} AND ExecutionStatus = 'Running'`;
  return (await client.workflow.count(query)).count > 0;
}

/** A poll lasts up to a minute: who has not polled for longer is gone. */
const RECENT_POLL_MS = 90_000;
const QUEUE_TYPES = { workflows: 1, activities: 2 } as const;

export type QueueType = keyof typeof QUEUE_TYPES;

/** Identities (`<process id>@<host>` by default) of workers that poll for this kind of task, sorted. */
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
