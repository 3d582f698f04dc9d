/** Explains a run whose workflow task fails repeatedly, and gives advice. Otherwise it would only seem idle. */

import type { Client } from '@temporalio/client';
import { preview } from '../../base/text/preview.js';
import { hintOf, scriptCall, verbCall } from '../../shared/process/called-as.js';
import type { RunDescription } from './runs.js';

/** The server's data about a run's pending task. */
interface TaskLook {
  id: string;
  taskQueue: string;
  /** Counted from 1. */
  attempt: number;
  /** The failure of its first attempt, because later ones leave no event. Null: its worker died, which leaves no event. */
  last: TaskFailure | null;
}

export type TaskFailure =
  | { kind: 'failed'; cause: number; message: string; worker: string; build: string }
  /** A worker had the task and did not answer in time. */
  | { kind: 'timed_out' };

export interface StuckTask {
  attempt: number;
  what: string;
  todo: string;
}

/** A second attempt alone is normal: a worker has died, or a query came at a bad moment. */
const ORDINARY_ATTEMPTS = 2;

/** Causes of the server that say more than the message. */
const CAUSE = { nonDeterministic: 24, tooLarge: [36, 37, 40] } as const;
const TOO_LARGE = /exceeds (the )?(\w+ )?(size )?limit|too large|TMPRL1103/i;

type Trouble = 'history' | 'size' | 'code' | 'time';

function troubleOf(last: TaskFailure | null): Trouble {
  if (last === null || last.kind === 'timed_out') return 'time';
  const { cause, message } = last;
  if (cause === CAUSE.nonDeterministic || /TMPRL1100|nondeterminis|workflow machines/i.test(message))
    return 'history';
  if (CAUSE.tooLarge.some(each => each === cause) || TOO_LARGE.test(message)) return 'size';
  return 'code';
}

/** Returns null for a healthy task, and for a second attempt that may succeed. Pure. */
export function stuckTask(look: TaskLook): StuckTask | null {
  const { attempt, last } = look;
  const trouble = troubleOf(last);
  const isFinal = trouble === 'history' || trouble === 'size';
  if (attempt < ORDINARY_ATTEMPTS || (attempt === ORDINARY_ATTEMPTS && !isFinal)) return null;
  return { attempt, ...explain(trouble, look) };
}

function explain(trouble: Trouble, { id, taskQueue, last }: TaskLook): { what: string; todo: string } {
  const { message = '', worker = '', build = '' } = last?.kind === 'failed' ? last : {};
  const failure = preview(message, 300);
  const by = `worker ${worker || 'unknown'}${build ? `, version ${build}` : ''}`;
  switch (trouble) {
    case 'history':
      return {
        what: `Its history does not fit the code of ${by}: ${failure}`,
        todo: `Serve ${taskQueue} with the version that the run began with, and it goes on. Where that is gone: ${scriptCall('worker', `--task-queue ${taskQueue} --replay`)}, by the version that serves it now, names the event that it can be reset to, and what it then does again. To see where they differ: ${hintOf(verbCall(`export ${id} --out history.json`), '`run.history()`')}`,
      };
    case 'size':
      return {
        what: `Its next record is larger than Temporal takes: ${failure}`,
        todo: `It cannot get over that by itself. See what it has: ${hintOf(verbCall(`show ${id}`), '`run.show()`')}. Then end it: temporal workflow terminate --workflow-id ${id}`,
      };
    case 'code':
      return {
        what: `Its code fails on ${by}: ${failure}`,
        todo: 'It goes on by itself with a worker whose version is mended. Please report it with the message above.',
      };
    case 'time':
      return {
        what: 'Its workers do not answer in time: they die, or the replay of its history takes them longer than 10 s.',
        todo: `See the log of the workers of the task queue ${taskQueue}; one that is not busy may manage it.`,
      };
  }
}

/** Formats the fault as a line, for lists and notices. */
export function stuckLine({ attempt, what }: StuckTask): string {
  return `It is stuck: its workflow task is at attempt ${attempt}. ${what}`;
}

/** Reads the history only if a task is in trouble. */
export async function readStuckTask(client: Client, run: RunDescription): Promise<StuckTask | null> {
  const attempt = run.raw.pendingWorkflowTask?.attempt ?? 0;
  if (attempt < ORDINARY_ATTEMPTS) return null;
  const { workflowId: id, taskQueue } = run;
  return stuckTask({ id, taskQueue, attempt, last: await lastFailure(client, run) });
}

/** Number of last events that are checked: signals may have arrived since the task failed. */
const LOOK_BACK = 50;
const START_TO_CLOSE = 1;

async function lastFailure(client: Client, run: RunDescription): Promise<TaskFailure | null> {
  const { namespace } = client.options;
  const { history } = await client.workflowService.getWorkflowExecutionHistoryReverse({
    namespace,
    execution: { workflowId: run.workflowId, runId: run.runId },
    maximumPageSize: LOOK_BACK,
  });
  for (const event of history?.events ?? []) {
    if (event.workflowTaskCompletedEventAttributes) return null;
    if (event.workflowTaskTimedOutEventAttributes?.timeoutType === START_TO_CLOSE)
      return { kind: 'timed_out' };
    const failed = event.workflowTaskFailedEventAttributes;
    if (!failed) continue;
    return {
      kind: 'failed',
      cause: failed.cause ?? 0,
      message: failed.failure?.message ?? '',
      worker: failed.identity ?? '',
      build: failed.workerVersion?.buildId ?? failed.binaryChecksum ?? '',
    };
  }
  return null;
}
