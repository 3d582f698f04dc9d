import type { Client } from '@temporalio/client';
import { WORKFLOW_TYPE } from '../workflows/messages.js';
import { recentPollers } from './pollers.js';
import { isManagedQueue } from './queue-name.js';
import { liveWorkers, readServerRecord, type WorkerRecord } from './records.js';

/** A run that has not ended. */
export interface OpenRun {
  workflowId: string;
  runId: string;
  taskQueue: string;
  /** ISO time. */
  startedAt: string;
}

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

/** All open runs, also those that another run has started: they outlive it. */
export async function openRuns(client: Client): Promise<OpenRun[]> {
  const runs: OpenRun[] = [];
  for await (const run of client.workflow.list({ query: OPEN_RUNS })) {
    const { workflowId, runId, taskQueue, startTime } = run;
    runs.push({ workflowId, runId, taskQueue, startedAt: startTime.toISOString() });
  }
  return runs;
}

/**
 * Open runs whose worker is gone: left by a crash or by `stopStack`. They wait, and go on only when somebody
 * calls `resumeQueue` with their task queue.
 */
export async function leftOpenRuns(client: Client, home: string): Promise<OpenRun[]> {
  const runs = await openRuns(client);
  const queues = [...new Set(runs.map(run => run.taskQueue))];
  const served = await Promise.all(queues.map(queue => isServed(client, home, queue)));
  return runs.filter(run => !served[queues.indexOf(run.taskQueue)]);
}

/** Does a worker work on this queue? A background worker's process tells; for others the server's pollers do. */
export async function isServed(client: Client, home: string, taskQueue: string): Promise<boolean> {
  // One that polls where an earlier server was works on nothing.
  const address = readServerRecord(home)?.address;
  const isAtWork = (worker: WorkerRecord) => worker.taskQueue === taskQueue && worker.address === address;
  if (liveWorkers(home).some(isAtWork)) return true;
  if (isManagedQueue(taskQueue)) return false;
  return (await recentPollers(client, taskQueue, 'workflows')).length > 0;
}
