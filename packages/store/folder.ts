/**
 * The store as a folder: a file of JSON lines for each conversation, and a file for each text. People and `jq` can read
 * it. A write is one append, which concurrent writers do not tear; its last line is the run's current state. A crash
 * can leave part of a line: readers skip it, and the next write begins a new line. Records that a retried write repeats
 * count once.
 */
import { constants, lstatSync } from 'node:fs';
import { type FileHandle, mkdir, open, rm, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { preview } from 'steersman/base';
import {
  isAfter,
  type Mark,
  missingAfter,
  type RunRecord,
  type StoredLine,
  writeEffect,
} from 'steersman/run';
import {
  createLocalBlobStore,
  failpoint,
  type Hit,
  hasBranches,
  lowerWords,
  type MessageOf,
  mayComeAgain,
  pruneBlobs,
  type RemovalTerms,
  refuseUnjudged,
  runFolder,
  type SessionLine,
  type SessionStore,
  type Store,
  tryBlobStore,
} from 'steersman/shared';
import { folderAccounts } from './accounts.js';
import {
  branchLines,
  type Header,
  headerOf,
  lastRuns,
  lineFor,
  NEWLINE,
  namesIn,
  openFile,
  readEach,
  readLine,
  readRecords,
  unlessGone,
} from './folder-lines.js';
import { isAt, isBeingRemoved, putBackLost, removeFile } from './folder-removal.js';
import { branchesOf, filesWith, forgetTitle, hitsIn, newestSessions, SUFFIX } from './folder-search.js';

const TITLE_CHARS = 200;
/** Mostly enough to contain the last line of a file. */
const TAIL_BYTES = 64 * 1024;

export function openFolder(dir: string, namespaceId?: () => Promise<string | null>): Store {
  const texts = join(dir, 'texts');
  return {
    sessions: folderSessions(join(dir, 'sessions'), join(dir, 'removed')),
    texts: {
      ...createLocalBlobStore(texts, namespaceId),
      async removeOf(workflowIds) {
        const folders = workflowIds.map(id => join(texts, runFolder(id)));
        const count = folders.flatMap(folder => namesIn(folder).filter(name => !name.startsWith('.'))).length;
        await Promise.all(folders.map(folder => rm(folder, { recursive: true, force: true })));
        return count;
      },
      prune: (by, isOver) => pruneBlobs(texts, by, isOver),
    },
    accounts: folderAccounts(join(dir, 'accounts')),
    async check() {
      await tryBlobStore(texts);
      await tryBlobStore(join(dir, 'sessions'));
    },
    async now() {
      const path = join(dir, '.clock');
      await mkdir(dir, { recursive: true, mode: 0o700 });
      await writeFile(path, '\n', { mode: 0o600 });
      return lstatSync(path).mtime;
    },
    // A folder has no other place to buffer texts: its own disk is the one that fails.
    async catchUp() {},
    async close() {},
  };
}

function folderSessions(dir: string, removed: string): SessionStore {
  const at = new Places(dir, removed);
  const runsOf = (session: string) => lastRuns(at.file(session));
  return {
    keep: (run, records, after) => keep(at, { run, records, after }),
    runs: runsOf,
    async find(workflowId) {
      const runs = await Promise.all(sessionsOf(workflowId).map(runsOf));
      return runs
        .flat()
        .filter(run => run.workflowId === workflowId)
        .sort((a, b) => b.startedAt - a.startedAt);
    },
    read: ({ session, chain }, ask) => readRecords(at.file(session), chain, ask),
    readEach: async (session, ask) => readEach(at.file(session), ask),
    list: async ask =>
      (await newestSessions(dir, ask)).map(({ header, changedAt }) => lineOf(header, changedAt)),
    async search({ sessions, text, limit }) {
      const words = lowerWords(text);
      if (words.length === 0) return [];
      const hits: Hit[] = [];
      for await (const path of sessions?.map(session => at.file(session)) ?? filesWith(dir, words)) {
        if (hits.length >= limit) break;
        hits.push(...(await hitsIn(path, words)));
      }
      return hits.slice(0, limit);
    },
    async line(session) {
      const header = await headerOf(at.file(session));
      const changed = lstatSync(at.file(session), { throwIfNoEntry: false });
      return header && changed ? lineOf(header, changed.mtimeMs) : null;
    },
    branches: session => branchesOf(dir, session),
    branch: (parent, to) => branch(at, parent, to),
    remove: async (session, terms = {}) => ({ workflowIds: await remove(at, session, terms) }),
  };
}

/** Paths of conversations, and of marks for removed runs that may write again: an empty file for each run. */
class Places {
  readonly dir: string;
  readonly removed: string;

  constructor(dir: string, removed: string) {
    this.dir = dir;
    this.removed = removed;
  }

  file(session: string): string {
    return join(this.dir, `${runFolder(session)}${SUFFIX}`);
  }

  mark(chain: string): string {
    return join(this.removed, runFolder(chain));
  }
}

/**
 * @returns null once it is stored, or if the run was removed; otherwise the mark after which the run must be written
 * again.
 */
async function keep(at: Places, writing: Writing): Promise<Mark | null> {
  const { run } = writing;
  await mkdir(at.dir, { recursive: true, mode: 0o700 });
  const path = at.file(run.session);
  const isMarked = () => lstatSync(at.mark(run.chain), { throwIfNoEntry: false }) !== undefined;
  for (const end = performance.now() + REMOVAL_MS; ; await sleep(LOOK_AGAIN_MS)) {
    if (performance.now() >= end) throw new Error(`the conversation ${run.session} is being removed`);
    await putBackLost(path);
    if (isBeingRemoved(path)) continue;
    if (isMarked()) return null;
    const file = await openFile(path, APPENDING);
    try {
      // A removal that began before the file was opened has written its marks, or is detected here.
      if (isBeingRemoved(path)) continue;
      if (isMarked()) return null;
      const from = await append(file, path, writing);
      if (await isAt(path, file)) return from;
    } finally {
      await file.close();
    }
  }
}

async function branch(at: Places, parent: MessageOf, to: string): Promise<void> {
  const from = await headerOf(at.file(parent.session));
  if (!from) throw new Error(`there is no conversation ${parent.session} to branch from`);
  const header: Header = { ...from, id: to, startedAt: Date.now(), parent };
  const file = await openNew(at.file(to));
  try {
    await failpoint('branch.begun');
    const { size } = await file.stat();
    await write(file, branchLines(header), { size, isTorn: size > 0 });
  } finally {
    await file.close();
  }
  // A removal of the parent moves its file first, and then looks for branches.
  if (!isBeingRemoved(at.file(parent.session)) && (await headerOf(at.file(parent.session)))) return;
  await unlink(at.file(to)).catch(unlessGone);
  throw new Error(`the conversation ${parent.session} is being deleted`);
}

/** @returns the workflow ids of its runs; empty if it stays. */
async function remove(at: Places, session: string, terms: RemovalTerms): Promise<string[]> {
  const path = at.file(session);
  const { before = Number.POSITIVE_INFINITY } = terms;
  const isOld = (file: string) => (lstatSync(file, { throwIfNoEntry: false })?.mtimeMs ?? before) < before;
  const refuseBranches = async () => {
    const branches = await branchesOf(at.dir, session);
    if (branches.length > 0) throw hasBranches(session, branches);
  };
  await putBackLost(path);
  if (!isOld(path) && !isBeingRemoved(path)) return [];
  await refuseBranches();
  const gone = await removeFile(path, async aside => {
    // A second check: a branch or a write may have happened before the file was moved.
    await refuseBranches();
    if (!isOld(aside)) return null;
    const runs = await lastRuns(aside);
    refuseUnjudged(session, runs, terms);
    const marked = runs.filter(mayComeAgain);
    if (marked.length > 0) await mkdir(at.removed, { recursive: true, mode: 0o700 });
    for (const { chain } of marked) await writeFile(at.mark(chain), '', { mode: 0o600 });
    await forgetTitle(at.dir, path);
    return runs.map(({ workflowId }) => workflowId);
  });
  return gone ?? [];
}

/** A writer waits this long for the removal of its conversation, which is mostly immediate. */
const REMOVAL_MS = 4_000;
const LOOK_AGAIN_MS = 20;

const APPENDING = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT;

/** Fails if the conversation exists. A file that a crash left without a complete first line is reused. */
async function openNew(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'ax', 0o600);
  } catch (error) {
    if (await headerOf(path)) throw error;
    return openFile(path, APPENDING);
  }
}

function lineOf({ id, title, workspace, startedAt, parent }: Header, changedAt: number): SessionLine {
  return { id, title, workspace, startedAt, changedAt, ...(parent && { parent }) };
}

/** Returns conversations that may contain a run of this id: a later run's id ends with `~2`, a sub-agent's with `/search/1`. */
function sessionsOf(workflowId: string): string[] {
  const ids = [workflowId];
  for (let parts = workflowId.split('/'); parts.length > 2; ) {
    parts = parts.slice(0, -2);
    ids.push(parts.join('/'));
  }
  return [...new Set(ids.flatMap(id => [id, id.replace(/~\d+$/, '')]))];
}

// Writing.

interface Writing {
  run: RunRecord;
  records: readonly StoredLine[];
  /** The mark that the records follow. */
  after: Mark | undefined;
}

/** @returns null once it is written; otherwise the mark after which the run must be written again. */
async function append(
  file: FileHandle,
  path: string,
  { run, records, after }: Writing,
): Promise<Mark | null> {
  const { chain, session: id, workspace, startedAt } = run;
  const { size } = await file.stat();
  const tail = await readTail(file, size);
  const inTail = lastRunIn(tail, chain);
  // Other runs of the conversation may have written many lines since this run's last one.
  const earlier = inTail || size <= TAIL_BYTES ? [] : await lastRuns(path);
  const before = inTail ?? earlier.find(each => each.chain === chain) ?? null;
  const stands = writeEffect(before, run, after);
  // A late attempt on a slow disk: its caller has given up.
  if (stands === null) return null;
  const from = missingAfter(before, after);
  if (from !== null) return from;
  const { resetTo } = stands;
  // An earlier attempt may have written these records, although its caller got no reply.
  const known = resetTo ?? before?.kept;
  const fresh = known ? records.filter(record => isAfter(known, record)) : records;
  const header: Header = {
    k: 'session',
    v: 1,
    id,
    title: preview(run.goal, TITLE_CHARS),
    workspace,
    startedAt,
  };
  await write(
    file,
    [
      ...(size <= TAIL_BYTES && !hasHeader(tail) ? [header] : []),
      ...(resetTo ? [{ k: 'reset', chain, reset: resetTo }] : []),
      ...fresh.map(record => lineFor(chain, record)),
      { k: 'run', chain, run: stands.run },
    ],
    { size, isTorn: tail.length > 0 && tail.at(-1) !== NEWLINE },
  );
  return null;
}

/** True if the first line is complete: it may have been torn. */
function hasHeader(start: Buffer): boolean {
  return start
    .toString('utf8')
    .split('\n')
    .some(text => text.startsWith('{"k":"session"') && readLine(text) !== null);
}

/** Appends in one write, which is on the disk on return. */
async function write(
  file: FileHandle,
  lines: readonly object[],
  { size, isTorn }: { size: number; isTorn: boolean },
): Promise<void> {
  const text = lines.map(line => `${JSON.stringify(line)}\n`).join('');
  const bytes = Buffer.from(isTorn ? `\n${text}` : text);
  const { bytesWritten } = await file.write(bytes);
  if (bytesWritten < bytes.length) {
    // Removes the partial write, so that retries do not fill the remaining space.
    if ((await file.stat()).size === size + bytesWritten) await file.truncate(size);
    throw new Error(`only ${bytesWritten} of ${bytes.length} bytes could be written: no space left`);
  }
  await file.datasync();
}

async function readTail(file: FileHandle, size: number): Promise<Buffer> {
  const length = Math.min(size, TAIL_BYTES);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length);
  return buffer.subarray(0, bytesRead);
}

function lastRunIn(tail: Buffer, chain: string): RunRecord | null {
  let last: RunRecord | null = null;
  for (const text of tail.toString('utf8').split('\n')) {
    const line = text.startsWith('{"k":"run"') ? readLine(text) : null;
    if (line?.k === 'run' && line.chain === chain && writeEffect(last, line.run)?.isNews) last = line.run;
  }
  return last;
}
