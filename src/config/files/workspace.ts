/** The workspace of a run: the client checks it for a quick answer, and the worker's check decides. */
import { realpathSync, type Stats, statSync } from 'node:fs';
import { lstat, realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { isBelow } from '../../shared/process/below.js';
import { SteersmanError } from '../../shared/process/errors.js';
import { errorCode } from './files.js';

/** Folders below which runs may work, or `any` on the local stack without configured ones. */
export type WorkspaceRoots = readonly string[] | 'any';

/** Returns a worker's roots: the configured ones; without any, all folders, but only on the local stack. */
export function workspaceRoots(configured: readonly string[], localStack: boolean): WorkspaceRoots {
  return configured.length === 0 && localStack ? 'any' : configured;
}

/** The workspace is missing or unreadable on this host: another host may have it. */
export class MissingWorkspaceError extends SteersmanError {
  constructor(message: string, remedy: string) {
    super(message, remedy, 'configuration', 'workspace');
  }
}

/**
 * Checks that a workspace exists, is a folder, and lies below an allowed root, symbolic links followed.
 * @returns its real path.
 * @throws SteersmanError that names the path and what to do, MissingWorkspaceError if it is not there.
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
    // A root that does not exist (yet) allows no folder.
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

/** Synchronous, because each tool call asks, and Node's thread pool takes a hundred times as long. */
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
      `The workspace ${path} cannot be read (${code}).`,
      'Check who may read that folder.',
    );
  }
  throw new MissingWorkspaceError(
    `The workspace ${path} is not a folder.`,
    'Name a folder, such as the one that holds the file.',
  );
}

/** A path that was checked to lie in its workspace. */
export interface Place {
  /** The real path: links are resolved as far as they exist. */
  real: string;
  /** Relative to the workspace, `.` for the workspace itself. */
  shown: string;
  /** Null if nothing exists there yet. */
  stats: Stats | null;
}

/** The `code` of an error: the path leads out of the workspace. */
export const OUTSIDE = 'outside of the workspace';
/** The `code` of an error: a link has no target, so the place of a write to it is unknown. */
export const DANGLING = 'a link that leads nowhere';

/**
 * Resolves a path, also of a file to be created. `isEntry`: resolves to the entry itself, even if it is a link.
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
    // The error is the same whether or not the path exists, so that it reveals nothing about outside files.
    throw isBelow(absolute, workspace) ? error : coded(OUTSIDE);
  }
}

/** Returns the real path of the existing part, and the other part unchanged. */
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
