/** The folders of a server, which a person named: runs that its clients start work in them or below, and theirs are those that do. */
import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { isBelow } from '../../config/workspace.js';
import { SteersmanError } from '../../shared/errors.js';

/**
 * The absolute path of the folder that was asked for, relative to the first of the roots; that root where none was.
 * Throws a SteersmanError for a folder outside of all, symbolic links followed.
 */
export function workspaceIn(roots: readonly string[], given: string | undefined): string {
  const [first = '/'] = roots;
  const path = resolve(first, given ?? '.');
  if (isOwn(roots, realOrSame(path))) return path;
  throw new SteersmanError(
    `The workspace ${path} is refused: this server starts runs in ${roots.join(', ')} only.`,
    'Leave it out, or name a folder below. Whoever runs the server may allow more folders with --workspace.',
    'usage',
  );
}

/** Where those lead that were named: the folders of runs are told so. */
export function rootsOf(named: readonly string[]): string[] {
  return named.map(realOrSame);
}

/** Whether a folder is one of those that were named, or below it. */
export function isOwn(named: readonly string[], real: string): boolean {
  return rootsOf(named).some(root => isBelow(real, root));
}

/** Another machine's folder is not here: its worker has the word. */
function realOrSame(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}
