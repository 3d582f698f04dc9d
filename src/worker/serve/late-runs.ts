/**
 * Runs that ended while the store was unreachable. Each notes that in its memo and can still be queried: workers of its
 * queue search for such runs and store the missing part. The next run of a conversation does so at once.
 */
import type { Client } from '@temporalio/client';
import { keepLate, type LateDeps, RunUnanswered } from '../../activities/keep.js';
import { errorText } from '../../base/text/error-text.js';
import { plural } from '../../base/text/format.js';
import { WORKFLOW_TYPE } from '../../run/agents/run-config.js';
import { type Lack, UNKEPT } from '../../run/state/stored-line.js';
import { askPatiently, queryTrouble } from '../../shared/query-errors.js';
import { lastPart } from '../../shared/store/delete-session.js';
import { keepPageQuery, LACKS_PATCH } from '../../workflows/run/definitions.js';
import type { Parts } from '../parts/parts.js';
import { repeat } from '../parts/store-care.js';

const LOOK_EVERY_MS = 30_000;
/** A worker of the queue answers within this time, or there is no worker. */
const GIVE_UP_MS = 8_000;

type StoreParts = Pick<Parts, 'store' | 'namespaceId' | 'secrets'>;

interface EndedRun {
  workflowId: string;
  runId: string;
  memo?: Record<string, unknown> | undefined;
}

/** Stores the missing part of the last run of this id, if that has ended. @throws RunUnanswered */
export async function keepLateRun(client: Client, parts: StoreParts, workflowId: string): Promise<void> {
  const run = await lastPart(client, workflowId);
  const lack = lackOf(run);
  if (run !== null && lack !== null) await keepLate(depsFor(client, parts, run), lack);
}

function lackOf(run: Pick<EndedRun, 'memo'> | null): Lack | null {
  const lack = run?.memo?.[UNKEPT];
  return lack === 'end' || lack === 'receipts' ? lack : null;
}

function depsFor(client: Client, parts: StoreParts, { workflowId, runId }: EndedRun): LateDeps {
  const handle = client.workflow.getHandle(workflowId, runId);
  return {
    sessions: parts.store.sessions,
    namespaceId: () => parts.namespaceId,
    redact: value => parts.secrets.redactAll(value),
    async readPage(after, upTo) {
      const signal = AbortSignal.timeout(GIVE_UP_MS);
      try {
        const asked = () => handle.query(keepPageQuery, after, upTo);
        return await askPatiently(asked, { giveUpMs: GIVE_UP_MS, signal });
      } catch (error) {
        throw new RunUnanswered(error, signal.aborted || queryTrouble(error) === 'passing');
      }
    },
  };
}

export interface LateCare {
  taskQueue: string;
  /** Receives a line for people. */
  report(line: string): void;
  /** Aborted when the worker ends. */
  signal: AbortSignal;
}

/** Searches for such runs of a queue until the worker ends. */
export function careForLateRuns(client: Client, parts: StoreParts, care: LateCare): Promise<void> {
  const done = new Set<string>();
  let waits = false;
  return repeat(LOOK_EVERY_MS, care.signal, async () => {
    try {
      await keepLateRuns(client, parts, { ...care, done });
      waits = false;
    } catch (error) {
      if (!waits)
        care.report(
          `Runs that ended while the store was unavailable are not stored yet: ${errorText(error)}`,
        );
      waits = true;
    }
  });
}

/** `done`: execution ids that need no further search. @throws if the store, or Temporal's list, fails. */
async function keepLateRuns(
  client: Client,
  parts: StoreParts,
  { taskQueue, report, signal, done }: LateCare & { done: Set<string> },
): Promise<void> {
  const query = `WorkflowType = '${WORKFLOW_TYPE}' AND TaskQueue = ${JSON.stringify(taskQueue)} AND TemporalChangeVersion = '${LACKS_PATCH}'`;
  let count = 0;
  try {
    for await (const run of client.workflow.list({ query })) {
      const lack = lackOf(run);
      if (signal.aborted) return;
      if (lack === null || done.has(run.runId)) continue;
      try {
        const end = await keepLate(depsFor(client, parts, run), lack);
        if (end === 'waits') continue;
        if (end === 'kept') count += 1;
      } catch (error) {
        if (!(error instanceof RunUnanswered)) throw error;
        if (error.mayPass) continue;
        report(
          `The run ${run.workflowId} ended while the store was unavailable, and cannot be read: ${error.message}`,
        );
      }
      done.add(run.runId);
    }
  } finally {
    if (count > 0)
      report(`The store has the end of ${plural(count, 'run')} that ended while it was unavailable.`);
  }
}
