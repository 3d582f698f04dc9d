/** Long texts that a run keeps by reference, from the blob store of this machine. */
import { join } from 'node:path';
import { createLocalBlobStore } from '../../blobs/blob-store.js';
import { resolveHome } from '../../stack/home.js';

/** More than any text that a run keeps. */
const MOST_BYTES = 64 * 1024 * 1024;

/** The folder that is looked in. */
export function blobFolder(): string {
  return join(resolveHome(), 'blobs');
}

/** The whole text, or null where it is not on this machine. */
export async function readStored(id: string, ref: string): Promise<string | null> {
  const page = await createLocalBlobStore(blobFolder()).read(id, ref, { offset: 0, length: MOST_BYTES });
  return page ? page.data.toString('utf8') : null;
}
