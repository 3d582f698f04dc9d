/** Replays of recorded runs, for tests. */
import { type RecordedHistory, type ReplayOptions, replays } from 'steersman/worker';

/**
 * Replays histories against the workflow code of this build and, with `workflowsPath` or a bundle, against an
 * application's own workflows too. Encrypted histories need the `dataConverter` of their worker.
 * @throws an error that names the first history that does not replay.
 */
export async function replayHistories(
  histories: readonly RecordedHistory[],
  options: ReplayOptions = {},
): Promise<void> {
  if (histories.length === 0) return;
  for await (const { workflowId, runId, fault } of replays(histories, options))
    if (fault !== null) throw new Error(`History of ${workflowId} (${runId}) does not replay: ${fault}`);
}
