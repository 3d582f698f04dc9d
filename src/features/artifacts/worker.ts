/** Artifacts on workers: the definitions of their tools, and the activity that writes their contents. The workflow decides the change, and stores the inventory. */

import { ApplicationFailure } from '@temporalio/common';
import type { WorkerFeature, WorkerParts } from '../../activities/feature.js';
import { runIdOf } from '../../activities/store-text.js';
import { errorText } from '../../base/text/error-text.js';
import { FAILURE } from '../../run/limits/failure.js';
import { matchesCall } from '../../run/tools/permission.js';
import type { BlobStore } from '../../shared/store/blob-store.js';
import {
  type ArtifactEdited,
  EDIT_ARTIFACT,
  type EditArtifactInput,
  MOST_ARTIFACT_BYTES,
  replaceOnce,
} from './rules.js';
import { artifactTools } from './tools.js';

export const artifacts: WorkerFeature = {
  name: 'artifacts',
  tools: artifactTools,
  activities: { [EDIT_ARTIFACT]: createEditArtifact },
};

/** Makes `steersmanEditArtifact`: contents never change once they are stored, so a retry does no harm. */
export function createEditArtifact({
  blobs,
  readArguments,
  deniedTools,
}: Pick<WorkerParts, 'blobs' | 'readArguments' | 'deniedTools'>) {
  return async function steersmanEditArtifact(input: EditArtifactInput): Promise<ArtifactEdited> {
    const { edit, tool, workspace } = input;
    const args = input.arguments ?? (await readArguments(input.callId));
    if (matchesCall([tool], { input: args, workspace }, await deniedTools())) return { fault: 'denied' };
    const text = (name: string) => (typeof args[name] === 'string' ? args[name] : '');
    if (edit.kind === 'write') return keep(blobs, text('content'));
    const range = { offset: 0, length: MOST_ARTIFACT_BYTES };
    const page = await blobs.read(runIdOf(), edit.ref, range).catch(storeFailed);
    if (!page) return { fault: 'gone' };
    const replaced = replaceOnce(page.data.toString('utf8'), text('oldText'), text('newText'));
    return 'matches' in replaced
      ? { fault: 'matches', count: replaced.matches }
      : keep(blobs, replaced.content);
  };
}

async function keep(blobs: BlobStore, content: string): Promise<ArtifactEdited> {
  const bytes = Buffer.byteLength(content, 'utf8');
  if (bytes > MOST_ARTIFACT_BYTES) return { fault: 'too_large', bytes };
  return { ref: await blobs.put(runIdOf(), content).catch(storeFailed), bytes };
}

/** The failure type tells the run that no worker was lost; a retry may find space. */
function storeFailed(error: unknown): never {
  throw ApplicationFailure.retryable(errorText(error), FAILURE.storeFailed);
}
