/** Replays of recorded runs: whether code takes the decisions that histories have. */
import { type ReplayWorkerOptions, Worker } from '@temporalio/worker';
import { SteersmanPlugin } from '../worker/plugin.js';

export interface RecordedHistory {
  workflowId: string;
  /** As a handle's `fetchHistory()` gives it, or parsed from the JSON of an export. */
  history: unknown;
}

/**
 * Replays histories against the workflow code of this build and, where `workflowsPath` or a bundle is given, against
 * an application's own workflows beside it.
 * @throws an error that names the first one that the code does not replay.
 */
export async function replayHistories(
  histories: readonly RecordedHistory[],
  options: Pick<ReplayWorkerOptions, 'workflowsPath' | 'workflowBundle'> = {},
): Promise<void> {
  if (histories.length === 0) return;
  const plugins = [new SteersmanPlugin()];
  for await (const { workflowId, runId, error } of Worker.runReplayHistories(
    { ...options, plugins },
    histories,
  )) {
    if (error) throw new Error(`History of ${workflowId} (${runId}) does not replay: ${error.message}`);
  }
}
