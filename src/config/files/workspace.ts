/** The workspace of a run: checked by the client for a quick answer, and by the worker, which has the last word. */
import { realpathSync, type Stats, statSync } from 'node:fs';
import { lstat, realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { isBelow } from '../../shared/below.js';
import { SteersmanError } from '../../shared/process/errors.js';
import { errorCode } from './files.js';

/** Folders below which runs may work, or `any` on the local stack where none are configured. */
export type WorkspaceRoots = readonly string[] | 'any';

/** Roots that hold for a worker: those configured; where there are none, any folder on the local stack only. */
export function workspaceRoots(configured: readonly string[], localStack: boolean): WorkspaceRoots {
  return configured.length === 0 && localStack ? 'any' : configured;
}

/** It is not on this host, or can't be read there: another may have it. */
export class MissingWorkspaceError extends SteersmanError {}

/**
 * Checks that a workspace exists, is a folder, and lies below an allowed root, symbolic links followed.
 * @returns its real path.
 * @throws SteersmanError that names the path and what to do, MissingWorkspaceError where it is not there.
 */
export async function checkWorkspace(path: string, roots: WorkspaceRoots): Promise<string> {
  if (!isAbsolute(path)) {
    throw new SteersmanError(
      `The workspace "${path}" is not an absolute path.`,
      "Give its full path on the worker's host.",
    );
  }
  const real = realFolder(path);
  if (roots === 'any') return real;
  if (roots.length === 0) {
    throw new SteersmanError(
      `The workspace ${path} is refused: this worker serves no folders.`,
      'List the folders it may serve under "workspaces" in its steersman.yaml.',
    );
  }
  for (const root of roots) {
    // A root that does not exist (yet) serves nothing.
    const realRoot = realPathOf(root);
    if (realRoot !== null && isBelow(real, realRoot)) return real;
  }
  throw new SteersmanError(
    `The workspace ${path} is refused: it is not below a folder that this worker serves.`,
    `Use a folder below ${roots.join(' or ')}, or add one under "workspaces" in the worker's steersman.yaml.`,
  );
}

function realPathOf(path: string): string | null {
  try {
    return realpathSync.native(path);
  } catch {
    return null;
  }
}

/** Synchronous: each tool call asks, and the way through Node's thread pool costs it a hundred times as much. */
function realFolder(path: string): string {
  try {
    const real = realpathSync.native(path);
    if (statSync(real).isDirectory()) return real;
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      throw new MissingWorkspaceError(
        `The workspace ${path} does not exist.`,
        'Create the folder, or name another with --workspace.',
      );
    }
    throw new MissingWorkspaceError(
      `The workspace ${path} can not be read (${code}).`,
      'Check who may read that folder.',
    );
  }
  throw new MissingWorkspaceError(
    `The workspace ${path} is not a folder.`,
    'Name a folder, such as the one that holds the file.',
  );
}

/** A path that was looked at: it lies in its workspace. */
export interface Place {
  /** Links are resolved, as far as it exists. */
  real: string;
  /** From the workspace on, `.` for the workspace itself. */
  shown: string;
  /** Null where nothing is there yet. */
  stats: Stats | null;
}

/** `code` of an error: the path leads out of the workspace. */
export const OUTSIDE = 'outside of the workspace';
/** A link leads nowhere: nobody can say where what is written to it would be. */
export const DANGLING = 'a link that leads nowhere';

/**
 * Where a path leads, also that of a file that is to be. `isEntry`: to the entry itself, also where that is a link.
 * @param workspace its real path.
 * @throws Error with a `code`: of the file system, `OUTSIDE` or `DANGLING`.
 */
export async function placeIn(workspace: string, path: string, isEntry = false): Promise<Place> {
  const absolute = resolve(workspace, path);
  try {
    const real = await (isEntry
      ? leadsTo(dirname(absolute)).then(folder => join(folder, basename(absolute)))
      : leadsTo(absolute));
    if (!isBelow(real, workspace)) throw coded(OUTSIDE);
    const stats = await (isEntry ? lstat : stat)(real).catch(error => {
      if (errorCode(error) !== 'ENOENT') throw error;
      return null;
    });
    return { real, shown: relative(workspace, real) || '.', stats };
  } catch (error) {
    // The same whether it exists or not: what is outside is nobody's business.
    throw isBelow(absolute, workspace) ? error : coded(OUTSIDE);
  }
}

/** The real path of what exists of it, and the rest as it is. */
async function leadsTo(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR'].includes(errorCode(error)) || dirname(path) === path) throw error;
    if (await isThere(path)) throw coded(DANGLING);
    return join(await leadsTo(dirname(path)), basename(path));
  }
}

function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

function coded(code: string): Error {
  return Object.assign(new Error(code), { code });
}
