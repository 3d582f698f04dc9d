/** What this machine has: Node, and a folder for large results. */

import { randomUUID } from 'node:crypto';
import { mkdir, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorText } from '../core/error-text.js';
import { isAtLeast } from '../stack/temporal-binary.js';
import { type Finding, failed, ok, warning } from './finding.js';

/** `engines` of package.json. */
const MINIMUM_NODE = '20.12.0';
const LOW_SPACE_BYTES = 1e9;

export function checkNode(version: string = process.versions.node): Finding {
  if (isAtLeast(version, MINIMUM_NODE)) return ok('Node', version);
  return failed('Node', `${version} is too old`, `Install Node ${MINIMUM_NODE} or later.`);
}

/** Is the blob store of this home writable? Makes its folder, as a worker would. */
export async function checkBlobs(home: string): Promise<Finding> {
  const dir = join(home, 'blobs');
  const probe = join(dir, `.doctor-${randomUUID()}`);
  try {
    await mkdir(dir, { recursive: true });
    await writeFile(probe, 'probe');
    await rm(probe);
  } catch (error) {
    const why = errorText(error);
    return failed(
      'large results',
      `${dir} can not be written (${why})`,
      'Make it writable for this user, or set STEERSMAN_HOME to a folder that is.',
    );
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
