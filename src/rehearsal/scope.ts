/** Which of the files that were found a goal is about. */
import type { Evidence, FileSeen } from './evidence.js';
import { isMarkdown, kindOf, languageOf } from './file-kinds.js';
import type { Intent } from './goal.js';

/** Larger files are not read for counts. */
export const MAX_FILE_BYTES = 160 * 1024;

/** Files whose names say that they list dependencies. */
const MANIFESTS =
  /(^|\/)(package\.json|pyproject\.toml|requirements[\w.-]*\.txt|go\.mod|Cargo\.toml|composer\.json)$/;
const README = /^readme(\.\w+)?$/i;
/** Manifests of examples and fixtures lie deeper. */
const MANIFEST_DEPTH = 3;

/** Folders of the goal that exist; the workspace where it names none. */
export function scopeFolders(intent: Intent, evidence: Evidence): string[] {
  const known = [...evidence.folders.keys()];
  return intent.folders.flatMap(name => {
    const match = known.filter(folder => folder === name || folder.endsWith(`/${name}`)).sort(byDepth)[0];
    return match === undefined ? [] : [match];
  });
}

/** Folders that the goal names and the listing does not have. */
export function unknownFolders(intent: Intent, evidence: Evidence): string[] {
  const known = [...evidence.folders.keys()];
  return intent.folders.filter(name => !known.some(folder => folder === name || folder.endsWith(`/${name}`)));
}

/** Files below the goal's folders, by path. */
export function filesInScope(intent: Intent, evidence: Evidence): FileSeen[] {
  const folders = scopeFolders(intent, evidence);
  return [...evidence.files.values()]
    .filter(({ path }) => folders.length === 0 || folders.some(folder => path.startsWith(`${folder}/`)))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Text files that people wrote: what is counted. */
export function countableFiles(intent: Intent, evidence: Evidence): FileSeen[] {
  return filesInScope(intent, evidence).filter(file => kindOf(file.path) === 'text' && !looksBinary(file));
}

/** A text of an unknown kind that turned out not to be one. */
export function looksBinary({ text }: FileSeen): boolean {
  return text?.includes('\0') === true;
}

/** Data files are read last: they are large, and hold few notes of people. */
export function readingOrder(a: FileSeen, b: FileSeen): number {
  const rank = ({ path }: FileSeen) =>
    /^(JSON|CSV|XML|Plain text|other|\..*)$/.test(languageOf(path)) ? 1 : 0;
  return rank(a) - rank(b) || (a.size ?? 0) - (b.size ?? 0) || (a.path < b.path ? -1 : 1);
}

/** The file that a goal means by a name: the path itself, else the nearest to the root of that name. */
export function findNamed(name: string, evidence: Evidence): string | null {
  const exact = evidence.files.get(name);
  if (exact && exact.error === null) return name;
  const wanted = name.toLowerCase();
  const matches = [...evidence.files.values()].filter(file => {
    const path = file.path.toLowerCase();
    const base = path.slice(path.lastIndexOf('/') + 1);
    return (
      file.error === null &&
      (path.endsWith(`/${wanted}`) ||
        path === wanted ||
        (!wanted.includes('.') && base.split('.')[0] === wanted))
    );
  });
  return matches.map(file => file.path).sort(byDepth)[0] ?? null;
}

/** The README nearest to the root of what the goal is about. */
export function findReadme(intent: Intent, evidence: Evidence): string | null {
  const found = filesInScope(intent, evidence).filter(({ path }) =>
    README.test(path.slice(path.lastIndexOf('/') + 1)),
  );
  return found.map(file => file.path).sort(byDepth)[0] ?? null;
}

export function manifests(intent: Intent, evidence: Evidence): FileSeen[] {
  return filesInScope(intent, evidence).filter(
    ({ path }) => MANIFESTS.test(path) && path.split('/').length <= MANIFEST_DEPTH,
  );
}

export function markdownFiles(intent: Intent, evidence: Evidence): FileSeen[] {
  return filesInScope(intent, evidence).filter(({ path }) => isMarkdown(path));
}

function byDepth(a: string, b: string): number {
  return a.split('/').length - b.split('/').length || (a < b ? -1 : 1);
}
