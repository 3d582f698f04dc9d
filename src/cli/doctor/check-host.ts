/** What this machine has: Node, and a folder for large results. */

import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { tryBlobStore } from '../../shared/blobs/blob-store.js';
import { isAtLeast } from '../../stack/download/temporal-binary.js';
import { type Finding, failed, failedBy, ok, warning } from './finding.js';

/** `engines` of package.json. */
const MINIMUM_NODE = '20.12.0';
const LOW_SPACE_BYTES = 1e9;

export function checkNode(version: string = process.versions.node): Finding {
  if (isAtLeast(version, MINIMUM_NODE)) return ok('Node', version);
  return failed('Node', `${version} is too old`, `Install Node ${MINIMUM_NODE} or later.`);
}

/** Does the blob store of this home work? Makes its folder, as a worker would. */
export async function checkBlobs(home: string): Promise<Finding> {
  const dir = join(home, 'blobs');
  try {
    await tryBlobStore(dir);
  } catch (error) {
    return failedBy('large results', error);
  }
  const free = await freeBytes(dir);
  if (free === null) return ok('large results', `${dir} is writable`);
  if (free >= LOW_SPACE_BYTES) {
    return ok('large results', `${dir} is writable, ${Math.floor(free / 1e9)} GB free`);
  }
  return warning(
    'large results',
    `${dir} is writable, but the disk is nearly full`,
    'Make room on the disk.',
  );
}

/** Null where the file system does not tell. */
async function freeBytes(dir: string): Promise<number | null> {
  try {
    const { bavail, bsize } = await statfs(dir);
    return bavail * bsize;
  } catch {
    return null;
  }
}
