/** Executor rules: which tool calls bring what a piece of work still lacks. */
import type { FileSeen } from './evidence.js';
import { callKey } from './evidence.js';
import type { Topic, Work } from './goal-words.js';
import type { Seen } from './scope.js';
import {
  findNamed,
  findReadme,
  isTooLarge,
  manifests,
  markdownFiles,
  scopeOf,
  unreadSources,
} from './scope.js';
import type { Toolbox, ToolUse } from './tools.js';

export interface WantedCall {
  use: ToolUse;
  args: Record<string, unknown>;
}

/** Calls of one reply: runs allow 16 by default. */
const MOST_CALLS = 16;
/** Results up to this size are given whole by default; a little less, for the paths between files. */
const BATCH_BYTES = 15_000;
/** Folders that are listed: what the rounds of one task allow. */
const MOST_FOLDERS = 150;
/** What is assumed of a file whose size no listing gave. */
const UNKNOWN_FILE_BYTES = 5_000;

/** Tools that are there where nobody says which are. */
export const ALL_USES: Toolbox = { list: '', readMany: '', read: '', page: '', write: '' };

/** The next calls for a kind of work; none when all is there or out of reach. That of `write` has no content yet. */
export function nextCalls(work: Work, seen: Seen, box: Toolbox): WantedCall[] {
  const { triesLeft } = seen.evidence;
  if (seen.isFull && work !== 'write') return [];
  return wantedCalls(work, seen, box)
    .filter(({ use, args }) => box[use] !== undefined && triesLeft.get(callKey(use, args)) !== 0)
    .slice(0, MOST_CALLS);
}

/** Of several kinds, each call once; what is written comes when nothing is left to read. */
export function callsForAll(work: readonly Work[], seen: Seen, box: Toolbox): WantedCall[] {
  const reads = work.filter(kind => kind !== 'write').flatMap(kind => nextCalls(kind, seen, box));
  if (reads.length === 0) return work.flatMap(kind => nextCalls(kind, seen, box));
  const once = new Map(reads.map(call => [callKey(call.use, call.args), call]));
  return [...once.values()].slice(0, MOST_CALLS);
}

function wantedCalls(work: Work, seen: Seen, box: Toolbox): WantedCall[] {
  const { intent, evidence } = seen;
  switch (work) {
    case 'survey':
      return surveyCalls(seen);
    case 'read': {
      const calls = callsForFiles(documents(seen), seen, box);
      // A file that is not where the goal says is looked for.
      const isLost = intent.files.some(name => findNamed(name, evidence) === null);
      return isLost ? [...calls, ...surveyCalls(seen)] : calls;
    }
    case 'source':
      return callsForFiles(unreadSources(seen), seen, box);
    case 'write':
      // Once: what was written, or refused, is not written again.
      return intent.writeTo === null || evidence.writes.has(intent.writeTo)
        ? []
        : [{ use: 'write', args: { path: intent.writeTo } }];
  }
}

/** The workspace first, then the folders that were found, those of the goal only where it names some. */
function surveyCalls(seen: Seen): WantedCall[] {
  const { folders } = seen.evidence;
  if (!folders.get('.')) return [{ use: 'list', args: { path: '.' } }];
  const isInScope = scopeOf(seen);
  const open = [...folders].filter(([path, isListed]) => !isListed && isInScope(path));
  const room = MOST_FOLDERS - [...folders.values()].filter(Boolean).length;
  return [
    ...pageCalls(seen, path => folders.has(path)),
    ...open.slice(0, Math.max(0, room)).map(([path]): WantedCall => ({ use: 'list', args: { path } })),
  ];
}

/** The documents that the goal needs and that were not read whole. */
function documents(seen: Seen): FileSeen[] {
  const { intent, evidence } = seen;
  const asks = (topic: Topic) => intent.topics.includes(topic);
  const unseen = (path: string): FileSeen => ({ path, size: null, text: null, whole: false, error: null });
  const readme = asks('readme') ? findReadme(seen) : null;
  const wanted = [
    ...intent.files.map(name => findNamed(name, evidence) ?? evidence.files.get(name) ?? unseen(name)),
    ...(readme ? [readme] : []),
    ...(asks('readme') || asks('dependencies') ? manifests(seen) : []),
    ...(asks('headings') ? markdownFiles(seen).filter(file => !isTooLarge(file)) : []),
  ];
  const isOpen = (file: FileSeen) => !file.whole && file.error === null;
  return [...new Set(wanted)].filter(file => isOpen(file) && !(file.text !== null && isTooLarge(file)));
}

/** Small files several to a call, so that each result is given whole; large ones alone, then their pages. */
function callsForFiles(files: FileSeen[], seen: Seen, box: Toolbox): WantedCall[] {
  const begun = new Set(files.filter(({ text }) => text !== null).map(({ path }) => path));
  const unread = files.filter(({ text }) => text === null);
  const batches = box.readMany === undefined ? unread.map(file => [file]) : batchesOf(unread);
  const reads = batches.map((batch): WantedCall => {
    const paths = batch.map(({ path }) => path);
    const isSingle = paths.length === 1 && box.read !== undefined;
    return isSingle ? { use: 'read', args: { path: paths[0] } } : { use: 'readMany', args: { paths } };
  });
  return [...pageCalls(seen, path => begun.has(path)), ...reads];
}

function pageCalls({ evidence }: Seen, isWanted: (path: string) => boolean): WantedCall[] {
  const pages = evidence.missing.filter(({ path }) => isWanted(path));
  return pages.map(({ call }) => ({ use: 'page', args: { ...call } }));
}

function batchesOf(files: FileSeen[]): FileSeen[][] {
  const batches: FileSeen[][] = [];
  let room = 0;
  for (const file of files) {
    // With the path that stands before it and the rounding of listings.
    const bytes = Math.ceil((file.size ?? UNKNOWN_FILE_BYTES) * 1.005) + file.path.length + 10;
    if (bytes <= room) batches.at(-1)?.push(file);
    else {
      batches.push([file]);
      room = BATCH_BYTES;
    }
    room -= bytes;
  }
  return batches;
}
