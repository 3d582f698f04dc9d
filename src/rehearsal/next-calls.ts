/** Executor rules: which tool calls bring what a piece of work still lacks. */
import type { Evidence, FileSeen } from './evidence.js';
import { callKey, MAX_TRIES } from './evidence.js';
import { LEFT_OUT_FOLDERS } from './file-kinds.js';
import type { Intent } from './goal.js';
import type { RuleCall } from './reply.js';
import {
  countableFiles,
  findNamed,
  findReadme,
  MAX_FILE_BYTES,
  manifests,
  markdownFiles,
  readingOrder,
  scopeFolders,
} from './scope.js';
import type { Toolbox } from './tools.js';
import type { Work } from './work.js';

/** Calls of one reply: runs allow 16 by default. */
const MOST_CALLS = 16;
/** Results up to this size are given whole by default; a little less, for the paths between files. */
const BATCH_BYTES = 15_000;
/** Folders that are listed for the sizes of their files. */
const MOST_FOLDERS = 160;
/** What is assumed of a file whose size no listing gave. */
const UNKNOWN_FILE_BYTES = 5_000;

export interface Situation {
  intent: Intent;
  evidence: Evidence;
  box: Toolbox;
  /** Characters that results may still add to the conversation. */
  roomChars: number;
  /** The text to be written, where the goal names a file for it. */
  document: () => string;
}

/** The next calls of the first kind of work that lacks something; none when all is there or out of reach. */
export function nextCalls(work: readonly Work[], situation: Situation): RuleCall[] {
  for (const kind of work) {
    const wanted = CALLS[kind](situation);
    const calls = withinRoom(
      wanted.filter(call => isNew(call, situation.evidence)),
      situation.roomChars,
    );
    if (calls.length > 0) return calls.map(({ name, arguments: args }) => ({ name, arguments: args }));
  }
  return [];
}

interface SizedCall extends RuleCall {
  bytes: number;
}

const CALLS: Record<Work, (situation: Situation) => SizedCall[]> = {
  survey: surveyCalls,
  read: readCalls,
  source: situation => callsForFiles(unreadSources(situation), situation),
  write: writeCalls,
};

/** Once: what was written, or refused, is not written again. */
function writeCalls({ intent: { writeTo }, evidence, box, document }: Situation): SizedCall[] {
  if (writeTo === null || box.write === undefined || evidence.writes.has(writeTo)) return [];
  return [{ name: box.write, arguments: { path: writeTo, content: document() }, bytes: 500 }];
}

function isNew(call: RuleCall, evidence: Evidence): boolean {
  return (evidence.tries.get(callKey(call.name, call.arguments)) ?? 0) < MAX_TRIES;
}

function withinRoom(calls: SizedCall[], roomChars: number): SizedCall[] {
  let room = roomChars;
  return calls.slice(0, MOST_CALLS).filter(call => {
    room -= call.bytes;
    return room >= 0;
  });
}

/** The tree first, then the folders that were found, for sizes; by folder alone where there is no tree. */
function surveyCalls({ evidence, box, intent }: Situation): SizedCall[] {
  const lister = box.listWithSizes ?? box.list;
  const list = (path: string): SizedCall[] =>
    lister === undefined ? [] : [{ name: lister, arguments: { path }, bytes: 2_000 }];
  if (evidence.listing === 'none') {
    const tree = box.tree && {
      name: box.tree,
      arguments: { path: '.', excludePatterns: [...LEFT_OUT_FOLDERS] },
      bytes: 16_000,
    };
    return [...(tree ? [tree] : []), ...list('.')];
  }
  const pages = pageCalls(evidence, path => path === '.' || evidence.folders.has(path), box);
  if (pages.length > 0) return pages;
  const scope = scopeFolders(intent, evidence);
  const folders = [...evidence.folders].filter(
    ([path]) => scope.length === 0 || scope.some(folder => path === folder || path.startsWith(`${folder}/`)),
  );
  const room = MOST_FOLDERS - folders.filter(([, listed]) => listed).length;
  return folders
    .filter(([, listed]) => !listed)
    .slice(0, Math.max(0, room))
    .flatMap(([path]) => list(path));
}

function readCalls(situation: Situation): SizedCall[] {
  const { evidence } = situation;
  const files = documents(situation).map(path => evidence.files.get(path) ?? unseen(path));
  const calls = callsForFiles(
    files.filter(file => !file.whole && file.error === null),
    situation,
  );
  if (calls.some(call => isNew(call, evidence))) return calls;
  const lost = situation.intent.files.some(name => findNamed(name, evidence) === null);
  return lost ? surveyCalls(situation) : calls;
}

/** Paths of the documents that the goal needs, each once. */
function documents({ intent, evidence }: Situation): string[] {
  const asks = (topic: Intent['topics'][number]) => intent.topics.includes(topic);
  const named = intent.files.map(name => findNamed(name, evidence) ?? name);
  const readme = asks('readme') ? findReadme(intent, evidence) : null;
  const about = asks('readme') || asks('dependencies') ? manifests(intent, evidence) : [];
  const withHeadings = asks('headings') ? markdownFiles(intent, evidence).filter(isReadable) : [];
  return [
    ...new Set([
      ...named,
      ...(readme === null ? [] : [readme]),
      ...[...about, ...withHeadings].map(({ path }) => path),
    ]),
  ];
}

function unseen(path: string): FileSeen {
  return { path, size: null, text: null, whole: false, error: null };
}

/** Text files that counts and searches still lack, in the order of reading. */
export function unreadSources({ intent, evidence }: Pick<Situation, 'intent' | 'evidence'>): FileSeen[] {
  return countableFiles(intent, evidence)
    .filter(file => !file.whole && file.error === null && isReadable(file))
    .sort(readingOrder);
}

function isReadable({ size }: FileSeen): boolean {
  return size === null || size <= MAX_FILE_BYTES;
}

/** Small files several to a call, so that each result is given whole; large ones alone, then their pages. */
function callsForFiles(files: FileSeen[], { evidence, box }: Situation): SizedCall[] {
  const partial = new Set(
    files.filter(file => file.text !== null && isReadable(file)).map(file => file.path),
  );
  const pages = pageCalls(evidence, path => partial.has(path) || path === '.', box);
  const reader = box.read;
  const single = (file: FileSeen): SizedCall[] =>
    reader === undefined
      ? several([file])
      : [{ name: reader, arguments: { path: file.path }, bytes: Math.min(BATCH_BYTES, sizeOf(file)) }];
  const several = (batch: FileSeen[]): SizedCall[] =>
    box.readMany === undefined
      ? batch.flatMap(single)
      : [
          {
            name: box.readMany,
            arguments: { paths: batch.map(({ path }) => path) },
            bytes: sum(batch.map(sizeOf)),
          },
        ];
  const unread = files.filter(file => file.text === null);
  const small = unread.filter(file => sizeOf(file) < BATCH_BYTES);
  const large = unread.filter(file => sizeOf(file) >= BATCH_BYTES);
  const batches = batchesOf(small).flatMap(batch =>
    batch.length === 1 ? batch.flatMap(single) : several(batch),
  );
  return [...pages, ...batches, ...large.flatMap(single)];
}

function pageCalls(evidence: Evidence, of: (path: string) => boolean, { page }: Toolbox): SizedCall[] {
  if (page === undefined) return [];
  return evidence.missing
    .filter(({ path }) => of(path))
    .map(({ path: _path, ...args }) => ({ name: page, arguments: args, bytes: args.length }));
}

function batchesOf(files: FileSeen[]): FileSeen[][] {
  const batches: FileSeen[][] = [];
  let room = 0;
  for (const file of files) {
    const bytes = sizeOf(file);
    const last = batches.at(-1);
    if (last && bytes <= room) last.push(file);
    else batches.push([file]);
    room = (last && bytes <= room ? room : BATCH_BYTES) - bytes;
  }
  return batches;
}

/** With the path that stands before it and the rounding of listings. */
function sizeOf({ path, size }: FileSeen): number {
  return Math.ceil((size ?? UNKNOWN_FILE_BYTES) * 1.005) + path.length + 10;
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
