/** Replays recorded runs: does the code make the decisions of their histories? */
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import type { History } from '@temporalio/common/lib/proto-utils.js';
import { type ReplayWorkerOptions, Worker } from '@temporalio/worker';
import { openRunsOf } from '../shared/local/open-runs.js';
import { SteersmanPlugin } from './plugin.js';

export interface RecordedHistory {
  workflowId: string;
  /** The result of a handle's `fetchHistory()`, or the parsed JSON of an export. */
  history: unknown;
}

/** `dataConverter`: has the codec of encrypted histories. */
export type ReplayOptions = Pick<ReplayWorkerOptions, 'workflowsPath' | 'workflowBundle' | 'dataConverter'>;

export interface Replayed {
  workflowId: string;
  runId: string;
  /** The reason why the code does not replay the history; null if it does. */
  fault: string | null;
}

/** Replays histories one after another against this build's workflow code, together with an application's own. */
export async function* replays(
  histories: AsyncIterable<RecordedHistory> | Iterable<RecordedHistory>,
  options: ReplayOptions = {},
): AsyncGenerator<Replayed> {
  const plugins = [new SteersmanPlugin()];
  for await (const result of Worker.runReplayHistories({ ...options, plugins }, histories)) {
    const { workflowId, runId, error } = result;
    yield { workflowId, runId, fault: error ? error.message : null };
  }
}

const READABLE = ['json/plain', 'binary/plain', 'binary/null', 'json/protobuf', 'binary/protobuf'];

/** Returns the encoding of a run's input if it needs a codec; null for any other. */
export function encryptedAs({ history }: RecordedHistory): string | null {
  const [started] = (history as History).events ?? [];
  const payloads = started?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
  const encodings = payloads.map(({ metadata }) => Buffer.from(metadata?.encoding ?? []).toString());
  return encodings.find(encoding => !READABLE.includes(encoding)) ?? null;
}

export interface ResetPoint {
  /** Event to which `temporal workflow reset` resets the run. */
  eventId: number;
  /** The calls and agents since then, one for each line: the run repeats them. */
  again: string[];
}

/**
 * Returns the last event to which a run can be reset so that this code continues it; any earlier one works too. It
 * replays beginnings of the history. Null if there is no such event.
 */
export async function resetPoint(
  { workflowId, history }: { workflowId: string; history: History },
  options: ReplayOptions = {},
): Promise<ResetPoint | null> {
  const events = history.events ?? [];
  const ends = events.flatMap((event, at) => (event.workflowTaskCompletedEventAttributes ? [at] : []));
  const fits = async (at: number) => {
    const beginning = { workflowId, history: { events: events.slice(0, at) } };
    for await (const { fault } of replays([beginning], options)) return fault === null;
    return false;
  };
  let [good, bad] = [-1, ends.length];
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2);
    if (await fits(ends[middle] ?? 0)) good = middle;
    else bad = middle;
  }
  const at = ends[good];
  if (at === undefined) return null;
  const again = events.slice(at).flatMap(callIn);
  return { eventId: Number(events[at]?.eventId), again };
}

type HistoryEvent = NonNullable<History['events']>[number];

function callIn({
  activityTaskScheduledEventAttributes: call,
  startChildWorkflowExecutionInitiatedEventAttributes: child,
  userMetadata,
}: HistoryEvent): string[] {
  if (child) return [`start ${child.workflowId}`];
  if (!call) return [];
  const summary = userMetadata?.summary;
  return [summary ? String(defaultPayloadConverter.fromPayload(summary)) : (call.activityType?.name ?? '')];
}

/** Yields the histories of a queue's open runs up to now, including runs that end meanwhile. */
export async function* openHistories(client: Client, taskQueue: string): AsyncGenerator<RecordedHistory> {
  for await (const { workflowId, runId } of client.workflow.list({ query: openRunsOf(taskQueue) })) {
    try {
      yield { workflowId, history: await client.workflow.getHandle(workflowId, runId).fetchHistory() };
    } catch (error) {
      // The server has deleted the run since it was listed.
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    }
  }
}
