/** What the results in the conversation show of the folder: nothing else is known. */
import type { MadeCall } from './conversation.js';
import { LEFT_OUT_FOLDERS } from './file-kinds.js';
import { readListing, readSeveralFiles } from './listings.js';
import type { KnownResult, PageCall } from './results.js';
import { joinPages } from './results.js';
import type { ToolUse } from './tools.js';
import { useOf } from './tools.js';

export interface FileSeen {
  /** From the workspace. */
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
  /** Folders found, `.` for the workspace; true once they were listed. */
  folders: Map<string, boolean>;
  /** Names of folders of dependencies and builds that were seen and left out. */
  leftOut: Set<string>;
  /** Calls that would complete what was given in part, by the file or folder concerned. */
  missing: { path: string; call: PageCall }[];
  /** Files that were to be written: null when it was done, else why not. */
  writes: Map<string, string | null>;
  /** Calls made, by `callKey`, with how often they may still be tried. */
  triesLeft: Map<string, number>;
}

/** A call that did not run may be asked for some times more; one that ran, or failed, is not repeated. */
const MAX_TRIES = 4;

export function callKey(use: ToolUse | null, args: object): string {
  return `${use} ${JSON.stringify(args)}`;
}

/** Reads the results of the current goal, oldest first. */
export function gatherEvidence(calls: readonly MadeCall[]): Evidence {
  const evidence: Evidence = {
    files: new Map(),
    folders: new Map(),
    leftOut: new Set(),
    missing: [],
    writes: new Map(),
    triesLeft: new Map(),
  };
  const pages = calls.filter(call => useOf(call.name) === 'page' && call.pageEnd !== null);
  for (const call of calls) {
    const use = useOf(call.name);
    const key = callKey(use, call.args);
    const isOver = call.ending !== 'again';
    evidence.triesLeft.set(key, isOver ? 0 : (evidence.triesLeft.get(key) ?? MAX_TRIES) - 1);
    if (call.ending === 'failed') noteFailure(evidence, use, call);
    if (call.ending !== 'ok') continue;
    const ofCall = pages.filter(page => page.args.ref === call.cut?.ref);
    noteResult(evidence, use, call, joinPages(call, ofCall));
  }
  return evidence;
}

function noteResult(evidence: Evidence, use: ToolUse | null, call: MadeCall, known: KnownResult): void {
  const [path = '.'] = pathsOf(call);
  const isWhole = known.missing.length === 0;
  let last = path;
  if (use === 'write') evidence.writes.set(path, null);
  if (use === 'list') noteListing(evidence, path, known.text);
  if (use === 'read') noteText(evidence, path, known.text, isWhole);
  for (const file of use === 'readMany' ? readSeveralFiles(known.text, pathsOf(call)) : []) {
    last = file.path;
    if ('error' in file) fileOf(evidence, file.path).error = file.error;
    else noteText(evidence, file.path, file.text, true);
  }
  evidence.missing.push(...known.missing.map(page => ({ path: last, call: page })));
  const file = evidence.files.get(last);
  if (!isWhole && file) Object.assign(file, { whole: false, size: call.cut?.totalBytes ?? null });
}

function noteListing(evidence: Evidence, folder: string, text: string): void {
  evidence.folders.set(folder, true);
  for (const { name, isFolder, size } of readListing(text)) {
    const path = folder === '.' ? name : `${folder}/${name}`;
    if (!isFolder) fileOf(evidence, path).size ??= size;
    else if (LEFT_OUT_FOLDERS.includes(name)) evidence.leftOut.add(name);
    else if (!evidence.folders.has(path)) evidence.folders.set(path, false);
  }
}

function noteText(evidence: Evidence, path: string, text: string, whole: boolean): void {
  Object.assign(fileOf(evidence, path), { text, whole, size: Buffer.byteLength(text), error: null });
}

function noteFailure(evidence: Evidence, use: ToolUse | null, call: MadeCall): void {
  const message = call.text.replace(/\s+/g, ' ').slice(0, 200);
  for (const path of pathsOf(call)) {
    if (use === 'write') evidence.writes.set(path, message);
    if (use === 'read' || use === 'readMany') fileOf(evidence, path).error = message;
    // Not asked for again: what it holds stays unknown.
    if (use === 'list') evidence.folders.set(path, true);
  }
}

function fileOf({ files }: Evidence, path: string): FileSeen {
  const file = files.get(path) ?? { path, size: null, text: null, whole: false, error: null };
  files.set(path, file);
  return file;
}

function pathsOf({ args }: MadeCall): string[] {
  const given = Array.isArray(args.paths) ? args.paths : [args.path ?? '.'];
  return given.map(path => String(path).replace(/^\.\/|\/$/g, '') || '.');
}
