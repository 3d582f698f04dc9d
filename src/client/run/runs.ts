/** Looking runs up. */

import type { WorkflowExecutionDescription } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/client';
import type { JournalEvent } from '../../core/state/journal.js';
import { nearestNames } from '../../core/tools/tool-call.js';
import { hintOf, verbCall } from '../../shared/called-as.js';
import { SteersmanError } from '../../shared/errors.js';
import type { SessionStore } from '../../shared/store/store.js';
import { UnreadableError } from '../../shared/temporal-client.js';
import { isServed } from '../../stack/open-runs.js';
import { type EventsPage, eventsQuery, WORKFLOW_TYPE } from '../../workflows/messages.js';
import { askRun } from '../ask-run.js';
import type { Temporal } from '../connect.js';
import { seeList } from '../grpc-errors.js';
import { keptEvents, keptRun } from '../kept/kept-runs.js';

export type RunDescription = WorkflowExecutionDescription;

const LOOK_TIMEOUT_MS = 10_000;
const NEAR_IDS_OF = 200;

/** All runs but the earlier parts of those that continued as new. */
export const ALL_RUNS = `WorkflowType = '${WORKFLOW_TYPE}' AND ExecutionStatus != 'ContinuedAsNew'`;

/** What the server knows of the run's latest segment. Throws a SteersmanError for an unknown id. */
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

/** Id of the first part of the run, by which the store knows it: workflow ids are used again. */
export async function chainOf(temporal: Temporal, id: string): Promise<string> {
  const { raw, runId } = await describeRun(temporal, id);
  return raw.workflowExecutionInfo?.firstRunId || runId;
}

/**
 * The readers of one run here, such as its events, its gates and the wait for its end: what two of them ask at the same
 * time is asked once.
 */
export class RunLooks {
  readonly temporal: Temporal;
  readonly id: string;
  /** Null: nothing is looked up there. */
  readonly store: SessionStore | null;
  #seen: { at: number; run: Promise<RunDescription> } | null = null;
  /** Pages of the journal that were asked for since the last look. */
  readonly #pages = new Map<string, Promise<EventsPage>>();

  constructor(temporal: Temporal, id: string, store: SessionStore | null = null) {
    this.temporal = temporal;
    this.store = store;
    this.id = id;
  }

  /** How the run stands, as it was seen at most so long ago. */
  look(maxAgeMs = 0): Promise<RunDescription> {
    if (this.#seen === null || Date.now() - this.#seen.at >= maxAgeMs) {
      this.#pages.clear();
      this.#seen = { at: Date.now(), run: describeRun(this.temporal, this.id) };
    }
    return this.#seen.run;
  }

  /** Events that the run itself may have no more; none where it is not kept. */
  async keptEvents(after: number): Promise<JournalEvent[]> {
    if (this.store === null) return [];
    const run = await keptRun(this.store, this.id, await chainOf(this.temporal, this.id));
    return run ? keptEvents(this.store, run, after) : [];
  }

  /** The events of a segment of the run after `since`. */
  events(runId: string, since: number): Promise<EventsPage> {
    const key = `${runId} ${since}`;
    const page = this.#pages.get(key) ?? askRun(this.temporal, { id: this.id, runId }, eventsQuery, since);
    this.#pages.set(key, page);
    return page;
  }
}

/** When its first part began and when it ended, ISO 8601. The server knows the latest segment's start alone. */
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

/** Folder that it works in; null where whoever started it did not say. */
export function workspaceOf(memo: RunDescription['memo']): string | null {
  return typeof memo?.workspace === 'string' ? memo.workspace : null;
}

export function isOpen({ status }: Pick<RunDescription, 'status'>): boolean {
  return status.name === 'RUNNING' || status.name === 'PAUSED';
}

async function unknownRun(temporal: Temporal, id: string): Promise<SteersmanError> {
  const near = nearestNames(id, await recentIds(temporal).catch(() => []));
  const nearest = near.length > 0 ? `Nearest: ${near.join(', ')}. ` : '';
  return new SteersmanError(noRun(temporal, id), `${nearest}${seeList()}`, 'not_found');
}

/** The same for one that whoever asks is not to know of. */
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
 * What only a worker of the run tells, here `knows`: `unserved` where none answers, though Temporal does. Throws for an
 * unknown run.
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
    // Who waits in vain for a worker has the server's words for it: the server is away only if it tells nothing else.
    await describeRun(temporal, id);
    throw unserved(id, knows);
  }
}

function unserved(id: string, knows: string): SteersmanError {
  return new SteersmanError(
    `No worker answers for the run ${id}, and only a worker knows ${knows}.`,
    `Ask again while a worker of its task queue runs. What its result keeps: ${hintOf(verbCall(`watch ${id}`), '`run.events()`')}`,
    'unserved',
  );
}

/**
 * False when it is known that no worker serves the run's queue, so that a query would only wait. True on
 * other servers than the local stack's, where nobody can tell quickly.
 */
export async function mayBeServed({ client, local }: Temporal, taskQueue: string): Promise<boolean> {
  if (local === null) return true;
  return local
    .queues()
    .then(queues => isServed(client, queues, taskQueue))
    .catch(() => true);
}
