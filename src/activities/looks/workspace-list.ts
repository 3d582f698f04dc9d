/** All files of a workspace with size and time, at a goal's beginning and at its judgement: tells what changed (WK2). */
import { lstat, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isRecord } from '../../base/json/json.js';
import { eachOf, search } from '../../config/workspace-files.js';
import type { Snapshot, WorkspaceChanges } from '../../run/evidence/evidence.js';

/** The list as stored by reference. */
export interface WorkspaceList {
  /**
   * Kind, size and change time of each file, by its path; the system sets that time, and no program can set it back.
   */
  entries: Record<string, string>;
  /** The number of ignored files by the first part of their path. Null: they could not be counted. */
  ignored: Record<string, number> | null;
  /** Further files exist. */
  isCut: boolean;
}

const MOST_FILES = 20_000;
const MOST_IGNORED = 500_000;
const MOST_MS = 5_000;
const NAMES = ['--files', '--null', '--no-messages'];
/** Files of git that other programs run or obey. */
const GIT_FILES = ['.git/config'];
const GIT_FOLDERS = ['.git/hooks'];
/** The folder of the local stack: its own files change constantly. */
const OWN = '.steersman/';

/** Lists hidden files and links too. */
export async function listWorkspace(workspace: string): Promise<WorkspaceList> {
  const { names, isCut } = await namesIn(workspace);
  const { ignored, inRoot } = await ignoredIn(workspace, names);
  return { entries: await entriesOf(workspace, names, inRoot), ignored, isCut };
}

/** Lists them without the ignored ones, whose number may be large. */
export async function listUnignored(workspace: string): Promise<WorkspaceList> {
  const { names, isCut } = await namesIn(workspace);
  return { entries: await entriesOf(workspace, names), ignored: null, isCut };
}

async function namesIn(workspace: string): Promise<{ names: Set<string>; isCut: boolean }> {
  const names = new Set<string>();
  const found = await search({
    args: NAMES,
    cwd: workspace,
    timeoutMs: MOST_MS,
    delimiter: '\0',
    take: name => isOwn(name) || names.add(name).size < MOST_FILES,
  });
  return { names, isCut: found.cut !== null || found.fault !== '' };
}

async function entriesOf(
  workspace: string,
  names: ReadonlySet<string>,
  inRoot: readonly string[] = [],
): Promise<WorkspaceList['entries']> {
  const folders = new Set([...names].map(name => dirname(name)).concat('.'));
  const links = await eachOf([...folders], folder => linksIn(workspace, folder));
  const git = await eachOf(GIT_FOLDERS, folder => filesIn(workspace, folder));
  const all = new Set([...names, ...inRoot, ...links.flat(), ...GIT_FILES, ...git.flat()]);
  const states = await eachOf([...all].sort(), async path => [path, await stateOf(workspace, path)] as const);
  return Object.fromEntries(states.filter((state): state is [string, string] => state[1] !== null));
}

function isOwn(name: string): boolean {
  return name === '' || name.startsWith(OWN);
}

/** Ignored files in the root, such as `.env`, are listed; others are only counted. */
async function ignoredIn(
  workspace: string,
  known: ReadonlySet<string>,
): Promise<{ ignored: WorkspaceList['ignored']; inRoot: string[] }> {
  const ignored: Record<string, number> = {};
  const inRoot: string[] = [];
  let count = 0;
  const { cut } = await search({
    args: [...NAMES, '--no-ignore'],
    cwd: workspace,
    timeoutMs: MOST_MS,
    delimiter: '\0',
    take: name => {
      count += 1;
      if (isOwn(name) || known.has(name)) return count < MOST_IGNORED;
      const slash = name.indexOf('/');
      const top = name.slice(0, slash + 1);
      if (slash < 0) inRoot.push(name);
      else ignored[top] = (ignored[top] ?? 0) + 1;
      return count < MOST_IGNORED;
    },
  });
  return { ignored: cut === null ? ignored : null, inRoot };
}

async function linksIn(workspace: string, folder: string): Promise<string[]> {
  const entries = await readdir(join(workspace, folder), { withFileTypes: true }).catch(() => []);
  return entries.filter(entry => entry.isSymbolicLink()).map(({ name }) => join(folder, name));
}

async function filesIn(workspace: string, folder: string): Promise<string[]> {
  const names = await readdir(join(workspace, folder)).catch(() => []);
  return names.map(name => join(folder, name));
}

async function stateOf(workspace: string, path: string): Promise<string | null> {
  const stats = await lstat(join(workspace, path)).catch(() => null);
  if (stats === null || stats.isDirectory()) return null;
  return `${stats.isSymbolicLink() ? 'link' : stats.mode.toString(8)}:${stats.size}:${stats.ctimeMs}`;
}

/** Null for text that is not a list. */
export function readList(text: string): WorkspaceList | null {
  try {
    const read: unknown = JSON.parse(text);
    return isRecord(read) && isRecord(read.entries) ? (read as unknown as WorkspaceList) : null;
  } catch {
    return null;
  }
}

/** The number of listed names of each kind. */
const MOST_TOLD = 50;

/** `named`: paths that are listed elsewhere. If a list was cut, only paths in both are compared. */
export function changesBetween(
  before: WorkspaceList,
  now: WorkspaceList,
  named: ReadonlySet<string>,
): WorkspaceChanges {
  const isCut = before.isCut || now.isCut;
  const paths = [...new Set([...Object.keys(before.entries), ...Object.keys(now.entries)])].sort();
  const all: Record<'changed' | 'added' | 'gone', string[]> = { changed: [], added: [], gone: [] };
  for (const path of paths) {
    const [old, there] = [before.entries[path], now.entries[path]];
    if (named.has(path) || old === there) continue;
    if (old !== undefined && there !== undefined) all.changed.push(path);
    else if (!isCut) all[old === undefined ? 'added' : 'gone'].push(path);
  }
  const listed = Object.fromEntries(
    Object.entries(all).map(([kind, list]) => [kind, list.slice(0, MOST_TOLD)]),
  );
  const more = Object.values(all).reduce((sum, list) => sum + Math.max(0, list.length - MOST_TOLD), 0);
  const counted = before.ignored !== null && now.ignored !== null;
  return {
    ...{ changed: [], added: [], gone: [], ...listed },
    more,
    ignored: counted ? countsBetween(before.ignored ?? {}, now.ignored ?? {}) : [],
    unseen: isCut ? 'cut' : counted ? null : 'ignored',
  };
}

/** True if the goal began with another file at this path than the first call that named it found; false if it is unknown. */
export function wasOther(
  { path, hash, changedAt }: Pick<Snapshot, 'path' | 'hash' | 'changedAt'>,
  { before, now }: Record<'before' | 'now', WorkspaceList>,
): boolean {
  const old = before.entries[path];
  if (hash === null) return old !== undefined;
  if (changedAt === undefined) return false;
  // Ignored files are in neither list.
  if (old === undefined) return !before.isCut && now.entries[path] !== undefined;
  return !old.endsWith(`:${changedAt}`);
}

function countsBetween(before: Record<string, number>, now: Record<string, number>): string[] {
  const folders = [...new Set([...Object.keys(before), ...Object.keys(now)])].sort();
  return folders
    .filter(folder => (before[folder] ?? 0) !== (now[folder] ?? 0))
    .map(folder => `${folder} (${before[folder] ?? 0} → ${now[folder] ?? 0})`)
    .slice(0, MOST_TOLD);
}
