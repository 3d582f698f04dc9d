/** Replays of recorded runs, for tests. */
import type { ReplayWorkerOptions } from '@temporalio/worker';
import { type RecordedHistory, replays } from '../worker/replay.js';

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
  for await (const { workflowId, runId, fault } of replays(histories, options))
    if (fault !== null) throw new Error(`History of ${workflowId} (${runId}) does not replay: ${fault}`);
}
