/** What a worker does for the store of its runs' texts beside storing: it tries it, says whose they are, and prunes. */
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { errorText } from '../core/text/error-text.js';
import { SteersmanError } from '../shared/errors.js';
import { type BlobOwner, pruneBlobs, tryBlobStore } from '../shared/store/blob-store.js';

const ASK_TIMEOUT_MS = 10_000;

export interface TextCare {
  dir: string;
  retentionDays: number;
  /** Gets a line for people. */
  report(line: string): void;
}

/**
 * Looks after a store for the runs of the client's namespace; a store that fails holds no worker up.
 * @returns the id of the namespace, which no other has, also on another server. Null where it can't be asked: then
 * nothing is pruned.
 */
export async function careForTexts(client: Client, care: TextCare): Promise<string | null> {
  void tryStore(care);
  const namespaceId = await askNamespaceId(client).catch((error: unknown) => {
    care.report(`Large results of this worker are kept for good: ${errorText(error)}`);
    return null;
  });
  if (namespaceId !== null)
    void pruneBlobs(care.dir, care.retentionDays, (owner, by) =>
      hadEnded(client, namespaceId, { owner, by }),
    );
  return namespaceId;
}

async function tryStore({ dir, report }: TextCare): Promise<void> {
  try {
    await tryBlobStore(dir);
  } catch (error) {
    if (!(error instanceof SteersmanError)) throw error;
    report(`Large results are cut, and lost for good: ${error.message}. ${error.remedy}`);
  }
}

async function askNamespaceId(client: Client): Promise<string | null> {
  const { workflowService, options } = client;
  const { namespace } = options;
  const asked = () => workflowService.describeNamespace({ namespace });
  const { namespaceInfo } = await client.withDeadline(Date.now() + ASK_TIMEOUT_MS, asked);
  return namespaceInfo?.id || null;
}

/**
 * Whether a run had ended by then, and so had the one that it is an agent of. What its server has forgotten ended
 * before that. False for a run of another namespace or server. @throws where the server does not say.
 */
export async function hadEnded(
  client: Client,
  namespaceId: string,
  { owner, by }: { owner: BlobOwner; by: Date },
): Promise<boolean> {
  const { workflowId } = owner;
  if (owner.namespaceId !== namespaceId) return false;
  try {
    const handle = client.workflow.getHandle(workflowId);
    const { closeTime, raw } = await client.withDeadline(Date.now() + ASK_TIMEOUT_MS, () =>
      handle.describe(),
    );
    if (closeTime === undefined || closeTime >= by) return false;
    const root = raw.workflowExecutionInfo?.rootExecution?.workflowId ?? workflowId;
    if (root === workflowId) return true;
    return hadEnded(client, namespaceId, { owner: { ...owner, workflowId: root }, by });
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return true;
    throw error;
  }
}
