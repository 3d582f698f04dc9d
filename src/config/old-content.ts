/** What stands in a file of the workspace, for who is asked whether it may be written anew. */
import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { errorCode, readHead } from './files.js';
import { isBelow } from './workspace.js';

const MOST_BYTES = 256 * 1_024;

/**
 * @param workspace its real path: links are followed within it alone.
 * @returns null where there is no such file.
 * @throws Error for a file outside of the workspace, of more than 256 KB, or that is no text.
 */
export async function readOldContent(workspace: string, path: string): Promise<string | null> {
  const { real, exists } = await placeOf(resolve(workspace, path));
  if (!isBelow(real, workspace)) throw new Error('it leads out of the workspace');
  return exists ? readText(real) : null;
}

/** Where a path leads, also that of a file that is to be. A link that leads nowhere says nothing of what is written. */
export async function placeOf(path: string): Promise<{ real: string; exists: boolean }> {
  try {
    return { real: await realpath(path), exists: true };
  } catch (error) {
    if (errorCode(error) !== 'ENOENT' || (await isThere(path))) throw error;
    const { real } = await placeOf(dirname(path));
    return { real: join(real, basename(path)), exists: false };
  }
}

function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

async function readText(file: string): Promise<string> {
  const { head } = await readHead(file, MOST_BYTES + 1);
  if (head.length > MOST_BYTES) throw new Error('it is too large');
  const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(head);
  if (text.includes('\0')) throw new Error('it is no text');
  return text;
}
