/** The activity that stores a long text by reference. */
import { Context } from '@temporalio/activity';
import type { BlobStore } from '../shared/store/blob-store.js';
import { storeWithin } from './stop-signal.js';
import type { StoreTextInput } from './types.js';

const STORE_MS = 9_000;

/** Makes `steersmanStoreText`: equal texts of a run have the same reference, so it can be retried safely. */
export function createStoreText(blobs: BlobStore) {
  return async function steersmanStoreText({ text }: StoreTextInput): Promise<{ ref: string }> {
    return { ref: await storeWithin(STORE_MS, blobs.put(runIdOf(), text)) };
  };
}

/** Returns the workflow id of the activity's run. */
export function runIdOf(): string {
  const { workflowExecution } = Context.current().info;
  if (!workflowExecution) throw new Error('only a workflow can call this activity');
  return workflowExecution.workflowId;
}
