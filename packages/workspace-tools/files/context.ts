/** Shared by the workspace's tools: the folder, and the checks that no path leads out of it. */
import { constants, type Stats } from 'node:fs';
import { type FileHandle, open, readlink, realpath } from 'node:fs/promises';
import { relative } from 'node:path';
import { isRecord } from 'steersman/base';
import { DANGLING, isBelow, OUTSIDE, type Place, placeIn } from 'steersman/config';
import { deniedPath } from 'steersman/run';
import type { BlobStore } from 'steersman/shared';
import { nearestPaths } from './nearest.js';
import { nameText } from './text.js';

export interface WorkspaceContext {
  /** Real path of the folder. */
  workspace: string;
  /** Real path of the folder with the worker's conversations and keys: the tools can't access it. */
  home?: string | undefined;
  /** Reads what the run has stored by reference. Absent outside of a worker. */
  readKept?: BlobStore['read'] | undefined;
  /** Returns the worker's current patterns of `permissions.deny`. Absent outside of a worker. */
  denied?: (() => Promise<readonly string[]>) | undefined;
}

type Inside = Pick<WorkspaceContext, 'workspace' | 'home' | 'denied'>;

/**
 * Returns a test for workspace-relative paths that a tool must hide: `permissions.deny` names them for this tool, or
 * for `read`.
 */
export async function deniedPaths(
  { workspace, denied }: Inside,
  tool: string,
): Promise<(path: string) => boolean> {
  return denied ? deniedPath([tool, 'read'], await denied(), workspace) : () => false;
}

/**
 * Resolves a path of a model. `isEntry`: the entry itself, even if it is a link.
 * @throws Error for the model, if the path leads out of the workspace or can't be read.
 */
export async function resolvePath(context: Inside, path: string, isEntry = false): Promise<Place> {
  if (path.includes('\0')) throw new Error('The path has a NUL character in it.');
  if (/^~[^/]*(\/|$)/.test(path))
    throw new Error(`${path}: "~" is not expanded. Give a path relative to the workspace.`);
  const place = await placeIn(context.workspace, path, isEntry).catch(error => {
    if (isRecord(error) && error.code === OUTSIDE) throw outside(path, context.workspace);
    return refuse(path, error);
  });
  const home = homeIn(context);
  // Operations on an entry include its contents, so it must not contain the home.
  if (home !== null && (isBelow(place.real, home) || (isEntry && isBelow(home, place.real))))
    throw isHome(path);
  return place;
}

/** Returns null if the home is outside of the workspace, or contains it. */
function homeIn({ workspace, home }: Inside): string | null {
  return home !== undefined && home !== workspace && isBelow(home, workspace) ? home : null;
}

/** Returns the arguments for ripgrep that exclude the home from a search of this folder. */
export function leftOut(context: Inside, folder: string): string[] {
  const home = homeIn(context);
  if (home === null || !isBelow(home, folder)) return [];
  const path = relative(folder, home).replace(/[\\*?[\]{}!]/g, '\\$&');
  return [`--glob=!/${path}`];
}

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_DIRECTORY } = constants;

/** Opens a regular file for reading; the caller closes it. @throws Error for the model. */
export async function openFile(
  context: Inside,
  path: string,
): Promise<Place & { stats: Stats; handle: FileHandle }> {
  const place = await resolvePath(context, path);
  if ((await deniedPaths(context, 'read'))(place.shown))
    throw new Error(`${path}: permissions.deny forbids it.`);
  if (place.stats === null) throw await missing(context, path);
  if (!place.stats.isFile()) throw new Error(`${path} is ${kindOf(place.stats)}, not a file.`);
  const handle = await open(place.real, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(error =>
    refuse(path, error),
  );
  try {
    await checkHandle(context, handle, place.real, path);
    const stats = await handle.stat();
    if (!stats.isFile()) throw new Error(`${path} is ${kindOf(stats)}, not a file.`);
    return { ...place, stats, handle };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/**
 * Works in a folder that can't be replaced by a link meanwhile: `at` is a path to the open folder itself, on systems
 * with such paths. `folder` may be below such a path.
 */
export async function inFolder<T>(
  context: Inside,
  folder: string,
  work: (at: string) => Promise<T>,
  shown = relative(context.workspace, folder) || '.',
): Promise<T> {
  const handle = await open(folder, O_RDONLY | O_NOFOLLOW | O_DIRECTORY).catch(error => refuse(shown, error));
  try {
    const hasPath = await checkHandle(context, handle, folder, shown);
    return await work(hasPath ? `/proc/self/fd/${handle.fd}` : folder);
  } finally {
    await handle.close();
  }
}

/** Checks the opened file or folder again, because a folder of its path may have become a link since the first check. */
async function checkHandle(
  context: Inside,
  handle: FileHandle,
  real: string,
  path: string,
): Promise<boolean> {
  const opened = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => null);
  const at = opened ?? (await realpath(real));
  if (!isBelow(at, context.workspace)) throw outside(path, context.workspace);
  const home = homeIn(context);
  if (home !== null && isBelow(at, home)) throw isHome(path);
  return opened !== null;
}

/** Returns an error, for the model, with the names that the path most likely means. */
export async function missing(context: Inside, path: string): Promise<Error> {
  const { workspace } = context;
  const isDenied = await deniedPaths(context, 'list');
  const look = (cwd: string) => nearestPaths({ cwd, leftOut: leftOut(context, workspace), isDenied }, path);
  const near = await inFolder(context, workspace, look).catch(() => []);
  const named = near.length > 0 ? ` Nearest: ${near.map(nameText).join(', ')}.` : '';
  return new Error(`${path} does not exist.${named}`);
}

/** Names the kind of an entry that is not a regular file. */
export function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return 'a folder';
  if (stats.isFile()) return 'a file';
  if (stats.isSymbolicLink()) return 'a link';
  if (stats.isFIFO() || stats.isSocket()) return 'a pipe or socket';
  return 'a device';
}

const WORDS: Readonly<Record<string, string>> = {
  EACCES: 'this user may not read or change it',
  EPERM: 'this user may not read or change it',
  ELOOP: 'its links lead in a circle, or it became a link meanwhile',
  ENAMETOOLONG: 'the name is too long',
  ENOENT: 'it does not exist',
  ENOTDIR: 'a part of the path is not a folder',
  EISDIR: 'it is a folder',
  EEXIST: 'it exists already',
  ENOTEMPTY: 'the folder is not empty',
  ENOSPC: 'the disk is full',
  EROFS: 'the disk is read-only',
  [DANGLING]: 'it is a link that leads nowhere',
};

function outside(path: string, workspace: string): Error {
  return new Error(
    `${path} is outside of the workspace, ${workspace}. Only what is inside can be used: give paths from there on.`,
  );
}

function isHome(path: string): Error {
  return new Error(
    `${path} is the folder in which Steersman keeps conversations, or contains it: no tool may read or change it.`,
  );
}

/** Throws an error of the file system in words for the model, without paths of the host. */
export function refuse(path: string, error: unknown): never {
  const code = isRecord(error) ? String(error.code) : '';
  throw new Error(`${path}: ${WORDS[code] ?? `it cannot be used (${code || 'no reason given'})`}.`);
}
