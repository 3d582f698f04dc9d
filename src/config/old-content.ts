/** The present content of a workspace file, for a gate that asks if the file may be overwritten. */
import { readHead } from './files/files.js';
import { placeIn } from './files/workspace.js';

const MOST_BYTES = 256 * 1_024;

/**
 * @param workspace its real path: links are followed only within it.
 * @returns null if the file does not exist.
 * @throws Error for a file outside the workspace, of more than 256 KB, or that is not text.
 */
export async function readOldContent(workspace: string, path: string): Promise<string | null> {
  const { real, stats } = await placeIn(workspace, path);
  return stats === null ? null : readText(real);
}

async function readText(file: string): Promise<string> {
  const { head } = await readHead(file, MOST_BYTES + 1);
  if (head.length > MOST_BYTES) throw new Error('it is too large');
  const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(head);
  if (text.includes('\0')) throw new Error('it is not text');
  return text;
}
