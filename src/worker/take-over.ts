/**
 * What a worker does first: it takes over from workers of this machine that were killed. The server learns of
 * such a death only by what does not come: a call's heartbeats for 10 s, an answer to a task or query for the
 * 10 s that these wait for the worker with the run in its cache. A worker that was asked to end has told it.
 */
import { type Client, isGrpcServiceError } from '@temporalio/client';
import type { SteersmanActivities } from '../activities/types.js';
import { FAILURE } from '../run/limits/failure.js';
import { openRunsOf, recentPollers } from '../shared/local/open-runs.js';
import { hasDied, workerIdentity } from './identity.js';

export interface TakenOver {
  /** Calls that are made again at once, or told to be unknown where they may have had an effect. */
  calls: number;
  /** Runs whose next task and queries go to any worker. */
  runs: number;
}

const ACTIVITY_STARTED = 2;
const CALL_TOOL: keyof SteersmanActivities = 'steersmanCallTool';
const RUNS_AT_ONCE = 8;
/** There is no reason to wait; with 0 the server would make no further try. */
const AT_ONCE_NANOS = 1_000_000;
/** Events from the end among which is the last that a worker has written. */
const LOOK_BACK = 20;
/** A worker begins to work after this at the latest: what is left comes later, as without it. */
const LOOK_TIMEOUT_MS = 5_000;

/** Looks only when a worker that has died was seen at the queue. Runs that end meanwhile are passed over. */
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

/** A queue's pollers are spread over partitions, of which the server tells of one: either kind will do. */
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
    // A task that its server carries on, and what it used; a model call's has live text, which history never has.
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

/** Who completed the run's last task, which is who has it in its cache. */
async function lastWorker(client: Client, execution: OpenRun): Promise<string> {
  const { history } = await client.workflowService.getWorkflowExecutionHistoryReverse({
    namespace: client.options.namespace,
    execution,
    maximumPageSize: LOOK_BACK,
  });
  const completed = (history?.events ?? []).find(event => event.workflowTaskCompletedEventAttributes);
  return completed?.workflowTaskCompletedEventAttributes?.identity ?? '';
}

/** It ended, or its call did, since it was listed. */
function passOver(error: unknown): void {
  if (!isGrpcServiceError(error) && !(error instanceof Error && error.name === 'WorkflowNotFoundError'))
    throw error;
}
