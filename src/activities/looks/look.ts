/** The activity that looks at files for the run itself: their state before a write, their present state, and a list of them. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createTwoFilesPatch } from 'diff';
import { readHead } from '../../config/files/files.js';
import { placeIn } from '../../config/files/workspace.js';
import { filesIn } from '../../config/workspace-files.js';
import { diffWithin } from '../../rules/prompts/output-line.js';
import {
  type FileNow,
  type FileState,
  type FilesNow,
  NOT_SEEN,
  unseenChanges,
  type WorkspaceChanges,
} from '../../run/evidence/evidence.js';
import type { BlobStore } from '../../shared/store/blob-store.js';
import type { HostDeps } from '../check-call.js';
import { runIdOf } from '../store-text.js';
import type { LookFinds, LookInput } from '../types.js';
import { inventoryOf } from './inventory.js';
import { shareWork } from './share-work.js';
import { changesBetween, listWorkspace, readList, wasOther } from './workspace-list.js';

export interface LookDeps extends Pick<HostDeps, 'openWorkspace'> {
  blobs: BlobStore;
  /** Removes secrets from a text, as the store does, before it is compared and cut. */
  redact(text: string): string;
}

const DIFF_BYTES = 4_000;
/** The limit for a text that is compared. */
const MOST_TEXT_BYTES = 256 * 1_024;
/** The limit for hashing a file; for a larger one, size and time tell if it changed. */
const MOST_HASHED_BYTES = 128 * 1_024 * 1_024;
const MOST_OTHERS = 50;

/** Makes `steersmanLook`. It changes nothing, so it can be retried safely. */
export function createLook(deps: LookDeps) {
  const { openWorkspace, blobs } = deps;
  // Each list starts two processes: runs that begin at the same time share one.
  const lists = shareWork(listWorkspace);
  const look = async (input: LookInput): Promise<LookFinds[LookInput['at']]> => {
    const workspace = await openWorkspace(input.workspace);
    switch (input.at) {
      case 'before':
        return before(workspace, input.paths, blobs);
      case 'now':
        return now(workspace, input, { ...deps, lists });
      case 'start':
        return lookAtStart(workspace, { blobs, lists });
      case 'list':
        return listFiles(workspace);
    }
  };
  // The compiler does not know that each look has its own result.
  return look as <I extends LookInput>(input: I) => Promise<LookFinds[I['at']]>;
}

export async function listFiles(workspace: string): Promise<string> {
  const { files, isCut } = await filesIn(workspace);
  return inventoryOf(files, isCut);
}

async function before(
  workspace: string,
  paths: readonly string[],
  blobs: BlobStore,
): Promise<LookFinds['before']> {
  const found = paths.map(async named => {
    const seen = await see(workspace, named);
    if (seen === null) return [];
    const { text, ...state } = seen;
    // Without the store there is no diff, but the hash still tells if the file changed.
    const ref = text === null ? null : await blobs.put(runIdOf(), text).catch(() => null);
    return [{ named, ...state, ref }];
  });
  return (await Promise.all(found)).flat();
}

type Lists = typeof listWorkspace;

/** Stores a list of all files, with sizes and times, for a later look. */
async function lookAtStart(
  workspace: string,
  { blobs, lists }: { blobs: BlobStore; lists: Lists },
): Promise<LookFinds['start']> {
  const list = JSON.stringify(await lists(workspace));
  return { ref: await blobs.put(runIdOf(), list).catch(() => null) };
}

/** The limit for a stored list. */
const MOST_LIST_BYTES = 32 << 20;

interface Since {
  changes: WorkspaceChanges;
  /** Paths of `files` at which the goal began with another file. */
  others: ReadonlySet<string>;
}

async function changesSince(
  workspace: string,
  ref: string | null,
  { blobs, lists, files }: { blobs: BlobStore; lists: Lists; files: NowInput['files'] },
): Promise<Since> {
  const unknown = (why: WorkspaceChanges['unseen']) => ({ changes: unseenChanges(why), others: NONE });
  const range = { offset: 0, length: MOST_LIST_BYTES };
  const page = ref === null ? null : await blobs.read(runIdOf(), ref, range).catch(() => null);
  const before = page === null ? null : readList(page.data.toString('utf8'));
  if (before === null) return unknown('start');
  const now = await lists(workspace).catch(() => null);
  if (now === null) return unknown('now');
  const others = files.filter(file => wasOther(file, { before, now }));
  return {
    changes: changesBetween(before, now, pathsIn(files)),
    others: pathsIn(others),
  };
}

const NONE: ReadonlySet<string> = new Set();

function pathsIn(files: readonly { path: string }[]): ReadonlySet<string> {
  return new Set(files.map(({ path }) => path));
}

type NowInput = Extract<LookInput, { at: 'now' }>;

async function now(
  workspace: string,
  { files, since, start, context = 2 }: NowInput,
  deps: LookDeps & { lists: Lists },
): Promise<FilesNow> {
  const looked: FileNow[] = [];
  for (const file of files)
    looked.push(await nowOf(workspace, file, since === null ? null : { ...deps, context }));
  if (start !== undefined) {
    const { changes, others } = await changesSince(workspace, start, { ...deps, files });
    const marked = looked.map(file => (others.has(file.path) ? { ...file, isLater: true as const } : file));
    return { files: marked, others: [], more: 0, changes };
  }
  const known = pathsIn(files);
  const all = since === null ? [] : (await filesIn(workspace).catch(() => ({ files: [] }))).files;
  const others = all.filter(({ path, changedAt }) => changedAt > (since ?? 0) && !known.has(path));
  const shown = others.slice(0, MOST_OTHERS).map(({ path }) => path);
  return { files: looked, others: shown, more: others.length - shown.length };
}

async function nowOf(
  workspace: string,
  before: Pick<FileNow, 'path' | 'hash'> & { ref: string | null },
  deps: (LookDeps & { context: number }) | null,
): Promise<FileNow> {
  const { path } = before;
  const seen = await see(workspace, path);
  if (seen === null) return { path, hash: NOT_SEEN, bytes: 0, diff: null, left: 0, why: 'unread' };
  const { text, hash, bytes } = seen;
  const state = { path, hash, bytes };
  if (deps === null || state.hash === null || state.hash === before.hash)
    return { ...state, diff: null, left: 0, why: null };
  if (text === null)
    return { ...state, diff: null, left: 0, why: state.bytes > MOST_TEXT_BYTES ? 'too_large' : 'no_text' };
  const old = before.hash === null ? '' : await oldText(deps.blobs, before.ref);
  if (old === null) return { ...state, diff: null, left: 0, why: 'unread' };
  const diff = diffOf(old, deps.redact(text), deps.context);
  if (diff === null) return { ...state, diff, left: 0, why: 'too_large' };
  const shown = diffWithin(diff, DIFF_BYTES);
  return { ...state, diff: shown, left: diff.length - shown.length, why: null };
}

async function oldText(blobs: BlobStore, ref: string | null): Promise<string | null> {
  if (ref === null) return null;
  const page = await blobs.read(runIdOf(), ref, { offset: 0, length: MOST_TEXT_BYTES }).catch(() => null);
  return page?.data.toString('utf8') ?? null;
}

type Seen = FileState & { text: string | null; changedAt?: number };

/** Null for a path outside the workspace, or an unreadable one. */
async function see(workspace: string, path: string): Promise<Seen | null> {
  try {
    const { real, shown, stats: info } = await placeIn(workspace, path);
    if (info === null) return { path: shown, hash: null, bytes: 0, text: null };
    if (!info.isFile()) return { path: shown, hash: 'no file', bytes: 0, text: null };
    const { size: bytes, ctimeMs: changedAt } = info;
    const about = { path: shown, bytes, text: null, changedAt };
    if (bytes > MOST_HASHED_BYTES) return { ...about, hash: `${bytes}:${info.mtimeMs}` };
    if (bytes > MOST_TEXT_BYTES) return { ...about, hash: await hashOf(real) };
    const { head } = await readHead(real, MOST_TEXT_BYTES + 1);
    return { ...about, hash: sha(head), bytes: head.length, text: textOf(head) };
  } catch {
    return null;
  }
}

function textOf(bytes: Uint8Array): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.includes('\0') ? null : text;
  } catch {
    return null;
  }
}

function sha(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('base64url').slice(0, HASH_CHARS);
}

async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const part of createReadStream(file)) hash.update(part);
  return hash.digest('base64url').slice(0, HASH_CHARS);
}

/** 192 bits. */
const HASH_CHARS = 32;

/** The comparison of very different texts is given up after this time. */
const MOST_MS = 1_000;

function diffOf(before: string, after: string, context: number): string | null {
  const options = { context, timeout: MOST_MS };
  const patch: string | undefined = createTwoFilesPatch('', '', before, after, '', '', options);
  if (patch === undefined) return null;
  // Removes the file names; the patch for a new empty file is empty.
  const from = patch.indexOf('@@');
  return from < 0 ? '' : patch.slice(from).replace(/\n$/, '');
}
