/** Which of the files that were found a goal is about. */
import type { Evidence, FileSeen } from './evidence.js';
import { kindOf, languageOf } from './file-kinds.js';
import type { Intent } from './goal.js';

/** What is wanted, and what is known. */
export interface Seen {
  intent: Intent;
  evidence: Evidence;
  /** The conversation has no room for more results. */
  isFull: boolean;
}

/** The text in the language of the goal. */
export function say({ intent }: Seen, english: string, chinese: string): string {
  return intent.zh ? chinese : english;
}

/** Larger files are not read for counts. */
export const MAX_FILE_BYTES = 160 * 1024;

/** Files whose names say that they list dependencies; those of examples and fixtures lie deeper. */
const MANIFEST =
  /^([^/]+\/){0,2}(package\.json|pyproject\.toml|requirements[\w.-]*\.txt|go\.mod|Cargo\.toml|composer\.json)$/;
const README = /(^|\/)readme(\.\w+)?$/i;

/** Folders that the goal names, as they are in the listing; null for those that are not there. */
export function namedFolders({ intent, evidence }: Seen): { name: string; path: string | null }[] {
  const known = [...evidence.folders.keys()].sort(byDepth);
  return intent.folders.map(name => ({
    name,
    path: known.find(folder => folder === name || folder.endsWith(`/${name}`)) ?? null,
  }));
}

/** Whether a path is one of the goal's folders or below one, or the goal names none that is there. */
export function scopeOf(seen: Seen): (path: string) => boolean {
  const folders = namedFolders(seen).flatMap(({ path }) => (path === null ? [] : [path]));
  return path => folders.length === 0 || folders.some(folder => `${path}/`.startsWith(`${folder}/`));
}

/** Files below the goal's folders, by path; without the one to be written, for what it held is replaced. */
export function filesInScope(seen: Seen): FileSeen[] {
  const isInScope = scopeOf(seen);
  const files = [...seen.evidence.files.values()].filter(
    ({ path }) => isInScope(path) && path !== seen.intent.writeTo,
  );
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Text files that people wrote: what is counted. One of an unknown kind may turn out not to be one. */
export function countableFiles(seen: Seen): FileSeen[] {
  return filesInScope(seen).filter(({ path, text }) => kindOf(path) === 'text' && !text?.includes('\0'));
}

/** Text files that counts and searches still lack: data last, for it is large and holds few notes of people. */
export function unreadSources(seen: Seen): FileSeen[] {
  const isData = ({ path }: FileSeen) => /^(JSON|CSV|XML|Text|other|\..*)$/.test(languageOf(path));
  return countableFiles(seen)
    .filter(file => !file.whole && file.error === null && !isTooLarge(file))
    .sort((a, b) => Number(isData(a)) - Number(isData(b)) || (a.size ?? 0) - (b.size ?? 0));
}

export function isTooLarge({ size }: FileSeen): boolean {
  return size !== null && size > MAX_FILE_BYTES;
}

/** The file that a goal means by a name: the path itself, else the nearest to the root of that name. */
export function findNamed(name: string, { files }: Evidence): FileSeen | null {
  const exact = files.get(name);
  if (exact?.error === null) return exact;
  const wanted = name.toLowerCase();
  const matches = [...files.values()].filter(({ path, error }) => {
    const [lower, base = ''] = [path.toLowerCase(), path.toLowerCase().split('/').at(-1)];
    return error === null && (`/${lower}`.endsWith(`/${wanted}`) || base.split('.')[0] === wanted);
  });
  return matches.sort((a, b) => byDepth(a.path, b.path))[0] ?? null;
}

/** The README nearest to the root of what the goal is about. */
export function findReadme(seen: Seen): FileSeen | null {
  const found = filesInScope(seen).filter(({ path }) => README.test(path));
  return found.sort((a, b) => byDepth(a.path, b.path))[0] ?? null;
}

export function manifests(seen: Seen): FileSeen[] {
  return filesInScope(seen).filter(({ path }) => MANIFEST.test(path));
}

export function markdownFiles(seen: Seen): FileSeen[] {
  return filesInScope(seen).filter(({ path }) => languageOf(path) === 'Markdown');
}

function byDepth(a: string, b: string): number {
  return a.split('/').length - b.split('/').length || (a < b ? -1 : 1);
}
