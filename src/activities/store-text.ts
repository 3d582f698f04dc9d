/** The activity that keeps a long text by reference. */
import { Context } from '@temporalio/activity';
import type { BlobStore } from '../shared/store/blob-store.js';
import { storeWithin } from './stop-signal.js';
import type { StoreTextInput } from './types.js';

const STORE_MS = 9_000;

/** Makes `steersmanStoreText`: the same text of a run has the same reference, so a retry does no harm. */
export function createStoreText(blobs: BlobStore) {
  return async function steersmanStoreText({ text }: StoreTextInput): Promise<{ ref: string }> {
    return { ref: await storeWithin(STORE_MS, blobs.put(runIdOf(), text)) };
  };
}

/** The run that the activity works for: its workflow id, the owner of its blobs. */
export function runIdOf(): string {
  const { workflowExecution } = Context.current().info;
  if (!workflowExecution) throw new Error('this activity is called by a workflow: it keeps texts for it');
  return workflowExecution.workflowId;
}
