/** Where a run that an agent starts may work: in the folders that a person named, or below them. */
import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isBelow } from '../config/workspace.js';
import { SteersmanError } from '../shared/errors.js';

/**
 * The absolute path of the folder that was asked for, relative to the first of the roots; that root where none was.
 * Throws a SteersmanError for a folder outside of all, symbolic links followed.
 */
export async function workspaceIn(roots: readonly string[], given: string | undefined): Promise<string> {
  const [first = '/'] = roots;
  const path = resolve(first, given ?? '.');
  const real = await realOrSame(path);
  for (const root of roots) {
    if (isBelow(real, await realOrSame(root))) return path;
  }
  throw new SteersmanError(
    `The workspace ${path} is refused: this server starts runs in ${roots.join(', ')} only.`,
    'Leave it out, or name a folder below. Whoever runs the server may allow more folders with --workspace.',
    'usage',
  );
}

/** Another machine's folder is not here: its worker has the word. */
function realOrSame(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}
