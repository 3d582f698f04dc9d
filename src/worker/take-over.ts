/**
 * The first action of a worker: it takes over from killed workers of this machine. The server detects such a death only
 * by timeouts: of a call's heartbeats (10 s), and of tasks and queries, which wait 10 s for the worker that caches the
 * run. A worker that ends gracefully reports its end.
 */
import { type Client, isGrpcServiceError } from '@temporalio/client';
import type { SteersmanActivities } from '../activities/types.js';
import { FAILURE } from '../run/limits/failure.js';
import { openRunsOf, recentPollers } from '../shared/local/open-runs.js';
import { hasDied, workerIdentity } from './identity.js';

export interface TakenOver {
  /** Calls that are retried at once, or end as unknown if they may have had an effect. */
  calls: number;
  /** Runs whose next task and queries can go to any worker. */
  runs: number;
}

const ACTIVITY_STARTED = 2;
const CALL_TOOL: keyof SteersmanActivities = 'steersmanCallTool';
const RUNS_AT_ONCE = 8;
/** No wait is necessary, but with 0 the server would make no further attempt. */
const AT_ONCE_NANOS = 1_000_000;
/** The last event that a worker wrote is among this many at the end. */
const LOOK_BACK = 20;
/** A worker begins to serve after this time at the latest; remaining takeovers happen later by timeout. */
const LOOK_TIMEOUT_MS = 5_000;

/** Searches only if a dead worker was seen at the queue. Runs that end meanwhile are skipped. */
export async function takeOver(client: Client, taskQueue: string): Promise<TakenOver> {
  return client.withDeadline(Date.now() + LOOK_TIMEOUT_MS, async () => {
    const taken: TakenOver = { calls: 0, runs: 0 };
    if (!(await wasLeftBehind(client, taskQueue))) return taken;
    const runs: OpenRun[] = [];
    for await (const { workflowId, runId } of client.workflow.list({ query: openRunsOf(taskQueue) }))
      runs.push({ workflowId, runId });
    const next = async () => {
      for (let run = runs.pop(); run; run = runs.pop()) {
        await takeOverRun(client, run, taken).catch(passOver);
      }
    };
    await Promise.all(Array.from({ length: RUNS_AT_ONCE }, next));
    return taken;
  });
}

interface OpenRun {
  workflowId: string;
  runId: string;
}

/** Checks pollers of both kinds: a queue's pollers are spread over partitions, and the server lists one partition. */
async function wasLeftBehind(client: Client, taskQueue: string): Promise<boolean> {
  const lists = await Promise.all([
    recentPollers(client, taskQueue, 'workflows'),
    recentPollers(client, taskQueue, 'activities'),
  ]);
  return lists.flat().some(identity => hasDied(identity));
}

async function takeOverRun(client: Client, run: OpenRun, taken: TakenOver): Promise<void> {
  const { workflowService } = client;
  const { namespace } = client.options;
  if (hasDied(await lastWorker(client, run))) {
    await workflowService.resetStickyTaskQueue({ namespace, execution: run });
    taken.runs += 1;
  }
  const { raw } = await client.workflow.getHandle(run.workflowId, run.runId).describe();
  for (const call of raw.pendingActivities ?? []) {
    const { activityId, activityType, state, lastWorkerIdentity, heartbeatDetails } = call;
    if (state !== ACTIVITY_STARTED || !hasDied(lastWorkerIdentity ?? '')) continue;
    // A tool call's details (a task on its server, its usage) are kept; a model call's live text must not enter history.
    const details = activityType?.name === CALL_TOOL ? { details: heartbeatDetails ?? null } : {};
    await workflowService.respondActivityTaskFailedById({
      namespace,
      ...run,
      activityId: activityId ?? '',
      identity: workerIdentity(),
      failure: {
        message: 'the worker that made this call has died',
        applicationFailureInfo: {
          type: FAILURE.workerShutdown,
          nextRetryDelay: { nanos: AT_ONCE_NANOS },
          ...details,
        },
      },
    });
    taken.calls += 1;
  }
}

/** Returns the identity of the worker that completed the run's last task, and so has the run in its cache. */
async function lastWorker(client: Client, execution: OpenRun): Promise<string> {
  const { history } = await client.workflowService.getWorkflowExecutionHistoryReverse({
    namespace: client.options.namespace,
    execution,
    maximumPageSize: LOOK_BACK,
  });
  const completed = (history?.events ?? []).find(event => event.workflowTaskCompletedEventAttributes);
  return completed?.workflowTaskCompletedEventAttributes?.identity ?? '';
}

/** The run, or its call, has ended since it was listed. */
function passOver(error: unknown): void {
  if (!isGrpcServiceError(error) && !(error instanceof Error && error.name === 'WorkflowNotFoundError'))
    throw error;
}
