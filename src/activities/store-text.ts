/** The activity that keeps a long text by reference. */
import { Context } from '@temporalio/activity';
import type { BlobStore } from '../shared/store/blob-store.js';
import { within } from './stop-signal.js';
import type { StoreTextInput } from './types.js';

const STORE_MS = 9_000;

/** Makes `steersmanStoreText`: the same text of a run has the same reference, so a retry does no harm. */
export function createStoreText(blobs: BlobStore) {
  return async function steersmanStoreText({ text }: StoreTextInput): Promise<{ ref: string }> {
    const ref = await within(STORE_MS, blobs.put(runIdOf(), text), null);
    if (ref === null) throw new Error(`the store did not answer within ${STORE_MS / 1_000} s`);
    return { ref };
  };
}

/** The run that the activity works for: its workflow id, the owner of its blobs. */
export function runIdOf(): string {
  const { workflowExecution } = Context.current().info;
  if (!workflowExecution) throw new Error('this activity is called by a workflow: it keeps texts for it');
  return workflowExecution.workflowId;
}
