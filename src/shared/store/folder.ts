/**
 * The store as a folder: a file of JSON lines for each conversation, and a file for each text. People read it, and `jq`.
 *
 * A write is one append, which others that write to the same file don't tear; its last line is the run as it then stood.
 * A crash can leave part of a line: readers pass over it, and the next write begins a new one. What a write that was
 * tried again says twice counts once.
 */
import { constants, lstatSync } from 'node:fs';
import { type FileHandle, mkdir, open, rm, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import {
  isAfter,
  isBehind,
  type Kept,
  type Mark,
  messageNumber,
  type RunRecord,
} from '../../core/state/kept.js';
import { preview } from '../../core/text/preview.js';
import { failpoint } from '../failpoints.js';
import { folderAccounts } from './accounts.js';
import { createLocalBlobStore, runFolder, tryBlobStore } from './blob-store.js';
import { lowerWords } from './find-words.js';
import {
  type Header,
  headerOf,
  type Line,
  linesOf,
  NEWLINE,
  namesIn,
  readLine,
  unlessGone,
} from './folder-lines.js';
import { filesWith, forgetTitles, hitsIn, newestSessions, SUFFIX } from './folder-search.js';
import type { Hit, SessionLine, SessionStore, Store } from './store.js';

const TITLE_CHARS = 200;
/** Holds the last line of a file, mostly. */
const TAIL_BYTES = 64 * 1024;

function lineFor(chain: string, kept: Kept): Line {
  switch (kept.kind) {
    case 'message':
      return { k: 'message', chain, thread: kept.thread, message: kept.message };
    case 'event':
      return { k: 'event', chain, event: kept.event };
    case 'step':
      return { k: 'step', chain, step: kept.step };
  }
}

function keptIn(line: Line): Kept | null {
  switch (line.k) {
    case 'message':
      return { kind: 'message', thread: line.thread, message: line.message };
    case 'event':
      return { kind: 'event', event: line.event };
    case 'step':
      return { kind: 'step', step: line.step };
    default:
      return null;
  }
}

export function openFolder(dir: string, namespaceId?: () => Promise<string | null>): Store {
  const texts = join(dir, 'texts');
  return {
    sessions: folderSessions(join(dir, 'sessions')),
    texts: {
      ...createLocalBlobStore(texts, namespaceId),
      async removeOf(workflowIds) {
        const folders = workflowIds.map(id => join(texts, runFolder(id)));
        const count = folders.flatMap(folder => namesIn(folder).filter(name => !name.startsWith('.'))).length;
        await Promise.all(folders.map(folder => rm(folder, { recursive: true, force: true })));
        return count;
      },
    },
    accounts: folderAccounts(join(dir, 'accounts')),
    async check() {
      await tryBlobStore(texts);
      await tryBlobStore(join(dir, 'sessions'));
    },
    async close() {},
  };
}

function folderSessions(dir: string): SessionStore {
  const fileOf = (session: string) => join(dir, `${runFolder(session)}${SUFFIX}`);
  const runsOf = (session: string) => lastRuns(fileOf(session));
  return {
    async keep(run, records, after) {
      await mkdir(dir, { recursive: true, mode: 0o700 });
      const file = await open(fileOf(run.session), APPENDING, 0o600);
      try {
        if (!(await file.stat()).isFile()) throw new Error(`${fileOf(run.session)} is no file`);
        await append(file, fileOf(run.session), { run, records, after });
      } finally {
        await file.close();
      }
    },
    runs: runsOf,
    async find(workflowId) {
      const runs = await Promise.all(sessionsOf(workflowId).map(runsOf));
      return runs
        .flat()
        .filter(run => run.workflowId === workflowId)
        .sort((a, b) => b.startedAt - a.startedAt);
    },
    read: ({ session, chain }, ask) => readRecords(fileOf(session), chain, ask),
    list: async ask =>
      (await newestSessions(dir, ask)).map(({ header, changedAt }) => lineOf(header, changedAt)),
    async search({ sessions, text, limit }) {
      const words = lowerWords(text);
      if (words.length === 0) return [];
      const hits: Hit[] = [];
      for (const path of sessions?.map(fileOf) ?? (await filesWith(dir, words))) {
        if (hits.length >= limit) break;
        hits.push(...hitsIn(path, words));
      }
      return hits.slice(0, limit);
    },
    async line(session) {
      const header = await headerOf(fileOf(session));
      const changed = lstatSync(fileOf(session), { throwIfNoEntry: false });
      return header && changed ? lineOf(header, changed.mtimeMs) : null;
    },
    async branch(parent, to) {
      const from = await headerOf(fileOf(parent.session));
      if (!from) throw new Error(`there is no conversation ${parent.session} to branch from`);
      const header: Header = { ...from, id: to, startedAt: Date.now(), parent };
      const file = await openNew(fileOf(to));
      try {
        await failpoint('branch.begun');
        const { size } = await file.stat();
        await write(file, [header], { size, isTorn: size > 0 });
      } finally {
        await file.close();
      }
    },
    async remove(session) {
      const runs = await runsOf(session);
      await forgetTitles(dir);
      await unlink(fileOf(session)).catch(unlessGone);
      return { workflowIds: runs.map(({ workflowId }) => workflowId) };
    },
  };
}

/** No link leads elsewhere, and no pipe is waited for. */
const APPENDING =
  constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Fails where there is a conversation already; what a crash has left before its first line was whole is none. */
async function openNew(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'ax', 0o600);
  } catch (error) {
    if (await headerOf(path)) throw error;
    return open(path, APPENDING, 0o600);
  }
}

function lineOf({ id, title, workspace, startedAt, parent }: Header, changedAt: number): SessionLine {
  return { id, title, workspace, startedAt, changedAt, ...(parent && { parent }) };
}

/** Conversations that a run of this id can be a part of: a later run of one has `~2` behind its id, a sub-agent `/search/1`. */
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
  records: readonly Kept[];
  /** The mark that the records follow. */
  after: Mark | undefined;
}

async function append(file: FileHandle, path: string, { run, records, after }: Writing): Promise<void> {
  const { chain, session: id, workspace, startedAt } = run;
  const { size } = await file.stat();
  const tail = await readTail(file, size);
  const inTail = lastRunIn(tail, chain);
  // Others of its conversation may have said a lot since its last word.
  const earlier = inTail || size <= TAIL_BYTES ? [] : await lastRuns(path);
  const before = inTail ?? earlier.find(each => each.chain === chain) ?? null;
  // An attempt that nobody waits for any more, on a slow disk: one after it has written.
  if (before && before.changedAt > run.changedAt) return;
  const resetTo =
    before && after && before.runId !== run.runId && isBehind(after, before.kept) ? after : null;
  // What an attempt that was not heard of has written already.
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
      { k: 'run', chain, run },
    ],
    { size, isTorn: tail.length > 0 && tail.at(-1) !== NEWLINE },
  );
}

/** Its line may have been torn. */
function hasHeader(start: Buffer): boolean {
  return start
    .toString('utf8')
    .split('\n')
    .some(text => text.startsWith('{"k":"session"') && readLine(text) !== null);
}

/** In one append, on the disk when it returns. */
async function write(
  file: FileHandle,
  lines: readonly object[],
  { size, isTorn } = { size: 0, isTorn: false },
): Promise<void> {
  const text = lines.map(line => `${JSON.stringify(line)}\n`).join('');
  const bytes = Buffer.from(isTorn ? `\n${text}` : text);
  const { bytesWritten } = await file.write(bytes);
  if (bytesWritten < bytes.length) {
    // Else each try would fill what room there is.
    if ((await file.stat()).size === size + bytesWritten) await file.truncate(size);
    throw new Error(`only ${bytesWritten} of ${bytes.length} bytes could be written: no space left`);
  }
  await file.datasync();
}

// Reading.

async function readTail(file: FileHandle, size: number): Promise<Buffer> {
  const length = Math.min(size, TAIL_BYTES);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length);
  return buffer.subarray(0, bytesRead);
}

function lastRunIn(tail: Buffer, chain: string): RunRecord | null {
  for (const text of tail.toString('utf8').split('\n').reverse()) {
    const line = text.startsWith('{"k":"run"') ? readLine(text) : null;
    if (line?.k === 'run' && line.chain === chain) return line.run;
  }
  return null;
}

async function lastRuns(path: string): Promise<RunRecord[]> {
  const runs = new Map<string, RunRecord>();
  for await (const line of linesOf(path, '{"k":"run"'))
    if (line.k === 'run' && line.run.changedAt >= (runs.get(line.chain)?.changedAt ?? 0))
      runs.set(line.chain, line.run);
  return [...runs.values()].sort((a, b) => a.startedAt - b.startedAt);
}

async function readRecords(
  path: string,
  chain: string,
  { kind, after = 0, limit }: { kind: Kept['kind']; after?: number; limit: number },
): Promise<Kept[]> {
  const found = new Map<number, Kept>();
  const beginning = (k: Line['k']) => `{"k":"${k}","chain":${JSON.stringify(chain)}`;
  for await (const line of linesOf(path, beginning(kind), beginning('reset'))) {
    if (line.k === 'reset')
      for (const [number, kept] of found) if (isAfter(line.reset, kept)) found.delete(number);
    const kept = keptIn(line);
    if (!kept) continue;
    const number = numberOf(kept);
    // Of a step the last word counts, of all else the first.
    if (number > after && (kind === 'step' || !found.has(number))) found.set(number, kept);
  }
  const inOrder = [...found].sort(([a], [b]) => a - b);
  return inOrder.slice(0, limit).map(([, kept]) => kept);
}

function numberOf(kept: Kept): number {
  if (kept.kind === 'message') return messageNumber(kept.message);
  return kept.kind === 'event' ? kept.event.seq : kept.step.step;
}
