/** What the results in the conversation show of the folder: nothing else is known. */
import type { MadeCall } from './conversation.js';
import type { Page, WholeResult } from './cut-results.js';
import { joinResult, missingPages } from './cut-results.js';
import { LEFT_OUT_FOLDERS } from './file-kinds.js';
import { readListing, readSeveralFiles, readTree } from './listings.js';
import { useOf } from './tools.js';

export interface FileSeen {
  /** As it was asked for: from the workspace. */
  path: string;
  /** Bytes, from a listing (to within half a percent) or from the text; null while unknown. */
  size: number | null;
  /** The whole text, or its beginning; null while it was not read. */
  text: string | null;
  /** False for a text that is only a beginning. */
  whole: boolean;
  /** Why it could not be read. */
  error: string | null;
}

export interface Evidence {
  files: Map<string, FileSeen>;
  /** Folders found, `.` for the workspace; true once they were listed with sizes. */
  folders: Map<string, boolean>;
  /** Folders of dependencies and builds that were seen and left out. */
  leftOut: string[];
  /** `none`: no tree or listing of the workspace yet; `part`: the beginning of one. */
  listing: 'none' | 'part' | 'whole';
  /** The workspace's whole tree was given: there is nothing but what it names. */
  tree: boolean;
  /** Calls of `read_result` that would complete what was given in part, by the file or folder concerned. */
  missing: { path: string; ref: string; offset: number; length: number }[];
  /** Calls that failed, in words. */
  failures: { call: string; path: string; message: string }[];
  /** Files that were to be written: null when it was done, else why not. */
  writes: Map<string, string | null>;
  /** Calls made, by tool and arguments, with how often they were tried. */
  tries: Map<string, number>;
}

/** Reads the results of the current goal, oldest first. */
export function gatherEvidence(calls: readonly MadeCall[]): Evidence {
  const evidence: Evidence = {
    files: new Map(),
    folders: new Map(),
    leftOut: [],
    listing: 'none',
    tree: false,
    missing: [],
    failures: [],
    writes: new Map(),
    tries: new Map(),
  };
  const pages = pagesByRef(calls);
  for (const call of calls) {
    const key = callKey(call.name, call.args);
    evidence.tries.set(key, (evidence.tries.get(key) ?? 0) + (call.ending === 'again' ? 1 : MAX_TRIES));
    if (call.ending === 'ok') noteResult(evidence, call, joinResult(call, pages));
    else noteFailure(evidence, call);
  }
  return evidence;
}

/** A call that did not run may be asked for some times more; one that ran, or failed, is not repeated. */
export const MAX_TRIES = 4;

export function callKey(name: string, args: Record<string, unknown>): string {
  return `${name} ${JSON.stringify(args)}`;
}

function pagesByRef(calls: readonly MadeCall[]): Map<string, Page[]> {
  const pages = new Map<string, Page[]>();
  for (const call of calls) {
    if (useOf(call.name) !== 'page' || call.ending !== 'ok') continue;
    const ref = String(call.args.ref);
    pages.set(ref, [...(pages.get(ref) ?? []), call]);
  }
  return pages;
}

function noteResult(evidence: Evidence, call: MadeCall, result: WholeResult): void {
  const path = pathOf(call);
  const use = useOf(call.name);
  if (use === 'page' || use === null) return;
  if (use === 'write') {
    evidence.writes.set(path, null);
    return;
  }
  for (const page of missingPages(result)) evidence.missing.push({ path, ...page });
  if (use === 'tree') noteTree(evidence, path, result);
  else if (use === 'read') noteText(evidence, path, result.text, result);
  else if (use === 'readMany') noteSeveral(evidence, call, result);
  else noteListing(evidence, path, result);
}

function noteTree(evidence: Evidence, root: string, result: WholeResult): void {
  if (root === '.') evidence.listing = result.whole ? 'whole' : 'part';
  if (root === '.' && result.whole) evidence.tree = true;
  if (!evidence.folders.has(root)) evidence.folders.set(root, false);
  for (const { path, isFolder } of readTree(result.text, root)) {
    if (!isFolder) fileOf(evidence, path);
    else if (!evidence.folders.has(path)) evidence.folders.set(path, false);
  }
}

function noteListing(evidence: Evidence, folder: string, result: WholeResult): void {
  if (evidence.listing === 'none' && folder === '.') evidence.listing = 'whole';
  evidence.folders.set(folder, true);
  for (const { name, isFolder, size } of readListing(result.text)) {
    const path = folder === '.' ? name : `${folder}/${name}`;
    // A tree quotes names; a listing does not, and a name with a line end looks like an entry of its own.
    if (evidence.tree && !isKnown(evidence, path)) {
      if (isFolder && LEFT_OUT_FOLDERS.includes(name)) evidence.leftOut.push(path);
      continue;
    }
    if (!isFolder) fileOf(evidence, path).size ??= size;
    else if (LEFT_OUT_FOLDERS.includes(name)) evidence.leftOut.push(path);
    else if (!evidence.folders.has(path)) evidence.folders.set(path, false);
  }
}

function isKnown({ files, folders }: Evidence, path: string): boolean {
  return files.has(path) || folders.has(path);
}

function noteSeveral(evidence: Evidence, call: MadeCall, result: WholeResult): void {
  const found = readSeveralFiles(result.text, pathsOf(call));
  for (const file of found) {
    if ('error' in file) {
      fileOf(evidence, file.path).error = file.error;
      evidence.failures.push({ call: call.name, path: file.path, message: file.error });
    } else if (result.whole || file !== found.at(-1)) {
      noteText(evidence, file.path, file.text, { whole: true, totalBytes: Buffer.byteLength(file.text) });
    }
  }
}

function noteText(
  evidence: Evidence,
  path: string,
  text: string,
  { whole, totalBytes }: Pick<WholeResult, 'whole' | 'totalBytes'>,
): void {
  Object.assign(fileOf(evidence, path), { text, whole, size: totalBytes, error: null });
}

function noteFailure(evidence: Evidence, call: MadeCall): void {
  const path = pathOf(call);
  const message = call.text.replace(/\s+/g, ' ').slice(0, 200);
  evidence.failures.push({ call: call.name, path, message });
  const use = useOf(call.name);
  if (call.ending === 'again') return;
  if (use === 'write') evidence.writes.set(path, message);
  if (use === 'read') fileOf(evidence, path).error = message;
  if (use === 'readMany') for (const each of pathsOf(call)) fileOf(evidence, each).error = message;
  // Not asked for again: what it holds stays unknown, and the answer says so.
  if (use === 'listWithSizes' || use === 'list') evidence.folders.set(path, true);
}

function fileOf(evidence: Evidence, path: string): FileSeen {
  const known = evidence.files.get(path);
  if (known) return known;
  const file: FileSeen = { path, size: null, text: null, whole: false, error: null };
  evidence.files.set(path, file);
  return file;
}

function pathsOf(call: MadeCall): string[] {
  return Array.isArray(call.args.paths) ? call.args.paths.map(String) : [];
}

function pathOf(call: MadeCall): string {
  return typeof call.args.path === 'string' ? call.args.path.replace(/^\.\/|\/$/g, '') || '.' : '.';
}
