/** Replays of recorded runs: whether code takes the decisions that histories have. */
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import type { History } from '@temporalio/common/lib/proto-utils.js';
import { type ReplayWorkerOptions, Worker } from '@temporalio/worker';
import { openRunsOf } from '../shared/local/open-runs.js';
import { SteersmanPlugin } from './plugin.js';

export interface RecordedHistory {
  workflowId: string;
  /** As a handle's `fetchHistory()` gives it, or parsed from the JSON of an export. */
  history: unknown;
}

/** `dataConverter`: with the codec of encrypted histories. */
export type ReplayOptions = Pick<ReplayWorkerOptions, 'workflowsPath' | 'workflowBundle' | 'dataConverter'>;

export interface Replayed {
  workflowId: string;
  runId: string;
  /** Why the code does not take the decisions of the history; null where it does. */
  fault: string | null;
}

/** Replays histories one after the other against the workflow code of this build, beside an application's own. */
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

/** The encoding of a run's input, where nobody without its codec can read it; null for any other. */
export function encryptedAs({ history }: RecordedHistory): string | null {
  const [started] = (history as History).events ?? [];
  const payloads = started?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
  const encodings = payloads.map(({ metadata }) => Buffer.from(metadata?.encoding ?? []).toString());
  return encodings.find(encoding => !READABLE.includes(encoding)) ?? null;
}

export interface ResetPoint {
  /** Event to which `temporal workflow reset` takes the run. */
  eventId: number;
  /** What the run then does again, a line each: its calls since, and the agents that it started since. */
  again: string[];
}

/**
 * The last event to which a run can be reset, so that this code goes on from there: each earlier one does as well. By
 * replays of its beginnings.
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

/** Histories of the open runs of a queue, as far as they have come. One that ends meanwhile counts too. */
export async function* openHistories(client: Client, taskQueue: string): AsyncGenerator<RecordedHistory> {
  for await (const { workflowId, runId } of client.workflow.list({ query: openRunsOf(taskQueue) })) {
    try {
      yield { workflowId, history: await client.workflow.getHandle(workflowId, runId).fetchHistory() };
    } catch (error) {
      // The server has forgotten it since.
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    }
  }
}
