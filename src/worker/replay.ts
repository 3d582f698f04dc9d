/** Replays of recorded runs: whether code takes the decisions that histories have. */
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { type ReplayWorkerOptions, Worker } from '@temporalio/worker';
import { OPEN_RUNS } from '../stack/open-runs.js';
import { SteersmanPlugin } from './plugin.js';

export interface RecordedHistory {
  workflowId: string;
  /** As a handle's `fetchHistory()` gives it, or parsed from the JSON of an export. */
  history: unknown;
}

export interface Replayed {
  workflowId: string;
  runId: string;
  /** Why the code does not take the decisions of the history; null where it does. */
  fault: string | null;
}

/** Replays histories one after the other against the workflow code of this build, beside an application's own. */
export async function* replays(
  histories: AsyncIterable<RecordedHistory> | Iterable<RecordedHistory>,
  options: Pick<ReplayWorkerOptions, 'workflowsPath' | 'workflowBundle'> = {},
): AsyncGenerator<Replayed> {
  const plugins = [new SteersmanPlugin()];
  for await (const result of Worker.runReplayHistories({ ...options, plugins }, histories)) {
    const { workflowId, runId, error } = result;
    yield { workflowId, runId, fault: error ? error.message : null };
  }
}

/** Histories of the open runs of a queue, as far as they have come. One that ends meanwhile counts too. */
export async function* openHistories(client: Client, taskQueue: string): AsyncGenerator<RecordedHistory> {
  const query = `${OPEN_RUNS} AND TaskQueue = '${taskQueue.replaceAll("'", "''")}'`;
  for await (const { workflowId, runId } of client.workflow.list({ query })) {
    try {
      yield { workflowId, history: await client.workflow.getHandle(workflowId, runId).fetchHistory() };
    } catch (error) {
      // The server has forgotten it since.
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    }
  }
}
