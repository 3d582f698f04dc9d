/** Looks runs up. */

import type { WorkflowExecutionDescription } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/client';
import { nearNames } from '../../base/text/nearest-names.js';
import { WORKFLOW_TYPE } from '../../run/agents/run-config.js';
import { isServed } from '../../shared/local/open-runs.js';
import { hintOf, verbCall } from '../../shared/process/called-as.js';
import { SteersmanError } from '../../shared/process/errors.js';
import { UnreadableError } from '../../shared/temporal/temporal-client.js';
import type { Temporal } from '../connection/connect.js';
import { seeList } from '../connection/grpc-errors.js';

export type RunDescription = WorkflowExecutionDescription;

const LOOK_TIMEOUT_MS = 10_000;
const NEAR_IDS_OF = 200;

/** A query for all runs, without their earlier segments. */
export const ALL_RUNS = `WorkflowType = '${WORKFLOW_TYPE}' AND ExecutionStatus != 'ContinuedAsNew'`;

/** Describes the latest segment of a run. Throws a SteersmanError for an unknown id. */
export async function describeRun(temporal: Temporal, id: string): Promise<RunDescription> {
  const { client } = temporal;
  try {
    const deadline = Date.now() + LOOK_TIMEOUT_MS;
    const found = await client.withDeadline(deadline, () => client.workflow.getHandle(id).describe());
    if (found.type === WORKFLOW_TYPE) return found;
    throw new SteersmanError(`${id} is a workflow of type ${found.type}, not a run.`, seeList(), 'not_found');
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) throw await unknownRun(temporal, id);
    throw error;
  }
}

/** Returns the run id of the first segment, by which the store identifies the run: workflow ids can be reused. */
export function chainIn({ raw, runId }: RunDescription): string {
  return raw.workflowExecutionInfo?.firstRunId || runId;
}

/** Returns the start of the first segment and the end, ISO 8601. The server knows only the latest segment's start. */
export function timesOf({
  memo,
  startTime,
  closeTime,
}: Pick<RunDescription, 'memo' | 'startTime' | 'closeTime'>) {
  const began = memo?.startedAt;
  return {
    startedAt: typeof began === 'string' ? began : startTime.toISOString(),
    endedAt: closeTime?.toISOString() ?? null,
  };
}

/** Returns the folder in which it works; null if its start did not record it. */
export function workspaceOf(memo: RunDescription['memo']): string | null {
  return typeof memo?.workspace === 'string' ? memo.workspace : null;
}

/**
 * Returns how a run ended, or how the last goal of a run that is kept open ended. Null while a goal is pursued, and if
 * Temporal ended the run from outside: what such a run had shown before is not its end.
 */
export function outcomeShown({
  status,
  memo,
  searchAttributes: { AgentOutcome },
}: Pick<RunDescription, 'status' | 'memo' | 'searchAttributes'>): string | null {
  switch (status.name) {
    case 'FAILED':
      return 'failed';
    case 'CANCELLED':
      return 'cancelled';
    case 'TERMINATED':
    case 'TIMED_OUT':
      return null;
    default: {
      // The memo has what no search attribute tells, such as in a namespace without them.
      const shown = [memo?.outcome, AgentOutcome?.[0]].find(value => typeof value === 'string') ?? null;
      return shown === 'open' ? null : shown;
    }
  }
}

export function isOpen({ status }: Pick<RunDescription, 'status'>): boolean {
  return status.name === 'RUNNING' || status.name === 'PAUSED';
}

async function unknownRun(temporal: Temporal, id: string): Promise<SteersmanError> {
  const near = nearNames(id, await recentIds(temporal).catch(() => []));
  const nearest = near.length > 0 ? `Nearest: ${near.join(', ')}. ` : '';
  return new SteersmanError(noRun(temporal, id), `${nearest}${seeList()}`, 'not_found');
}

/** Returns the message for an unknown run, also for one that the caller may not know of. */
export function noRun({ namespace, address }: Pick<Temporal, 'namespace' | 'address'>, id: string): string {
  return `There is no run ${id} in the namespace ${namespace} at ${address}.`;
}

async function recentIds({ client }: Temporal): Promise<string[]> {
  const ids: string[] = [];
  for await (const { workflowId } of client.workflow.list({ query: ALL_RUNS, pageSize: NEAR_IDS_OF })) {
    ids.push(workflowId);
    if (ids.length >= NEAR_IDS_OF) break;
  }
  return ids;
}

/**
 * Calls `ask`, which needs a worker: throws `unserved` if no worker answers although Temporal does. `knows`: the wanted
 * data, for the message. Throws for an unknown run.
 */
export async function fromWorker<T>(
  temporal: Temporal,
  id: string,
  { knows, ask }: { knows: string; ask: () => Promise<T> },
): Promise<T> {
  const { taskQueue } = await describeRun(temporal, id);
  if (!(await mayBeServed(temporal, taskQueue))) throw unserved(id, knows);
  try {
    return await ask();
  } catch (error) {
    if (error instanceof SteersmanError || error instanceof UnreadableError) throw error;
    // A missing worker looks like a server timeout: the server is away only if it does not answer this either.
    await describeRun(temporal, id);
    throw unserved(id, knows);
  }
}

function unserved(id: string, knows: string): SteersmanError {
  return new SteersmanError(
    `No worker answers for the run ${id}, and only a worker knows ${knows}.`,
    `Ask again while a worker of its task queue runs. To see its events: ${hintOf(verbCall(`watch ${id}`), '`run.events()`')}`,
    'unserved',
  );
}

/**
 * Returns false if the run's queue is known to have no worker, so that a query would only wait. Always true on other
 * servers than the local stack's, where this can't be checked quickly.
 */
export async function mayBeServed({ client, local }: Temporal, taskQueue: string): Promise<boolean> {
  if (local === null) return true;
  return local
    .queues()
    .then(queues => isServed(client, queues, taskQueue))
    .catch(() => true);
}
