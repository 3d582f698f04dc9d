/**
 * The store as a folder: a file of JSON lines for each conversation, and a file for each text. People read it, and `jq`.
 *
 * A write is one append, which others that write to the same file don't tear; its last line is the run as it then stood.
 * A crash can leave part of a line: readers pass over it, and the next write begins a new one. What a write that was
 * tried again says twice counts once.
 */
import { execFile } from 'node:child_process';
import { constants, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { type FileHandle, mkdir, open, rm, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { rgPath } from '@vscode/ripgrep';
import type { JournalEvent } from '../../core/state/journal.js';
import {
  isAfter,
  type Kept,
  type Mark,
  messageNumber,
  type RunRecord,
  standing,
} from '../../core/state/kept.js';
import type { Message } from '../../core/state/message.js';
import type { TraceStep } from '../../core/state/trace.js';
import { isRecord, isText, parseJson } from '../../core/text/json.js';
import { preview } from '../../core/text/preview.js';
import { folderAccounts } from './accounts.js';
import { createLocalBlobStore, pruneBlobs, runFolder, tryBlobStore } from './blob-store.js';
import { lowerWords, partWith, searchedText } from './find-words.js';
import type { Hit, MessageOf, SessionLine, SessionStore, Store } from './store.js';

const TITLE_CHARS = 200;
/** Holds the last line of a file, mostly. */
const TAIL_BYTES = 64 * 1024;
const FIRST_READ_BYTES = 4 * 1024;
const READ_BYTES = 1024 * 1024;
const NEWLINE = 10;
const MOST_NAMES_BYTES = 64 * 1024 * 1024;
const runProgram = promisify(execFile);

/** The first line of a file. */
interface Header {
  k: 'session';
  v: 1;
  id: string;
  title: string;
  workspace: string;
  startedAt: number;
  parent?: MessageOf;
}

/** Each line says first what it is, and of which run: readers look at no more of most lines. */
type Line =
  | Header
  | { k: 'run'; chain: string; run: RunRecord }
  /** The run was reset: what stands before this line and comes behind the mark is no part of its story any more. */
  | { k: 'reset'; chain: string; reset: Mark }
  | { k: 'message'; chain: string; thread: string; message: Message }
  | { k: 'event'; chain: string; event: JournalEvent }
  | { k: 'step'; chain: string; step: TraceStep };

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
    // What a folder does not take has nowhere else to wait: its disk is the one that is full.
    async catchUp() {},
    async close() {},
  };
}

/** `removed`: a folder with an empty file for each open run whose conversation was removed. */
function folderSessions(dir: string, removed: string): SessionStore {
  const fileOf = (session: string) => join(dir, `${runFolder(session)}${SUFFIX}`);
  const runsOf = (session: string) => lastRuns(fileOf(session));
  const markOf = (chain: string) => join(removed, runFolder(chain));
  return {
    async keep(run, records, after) {
      await mkdir(dir, { recursive: true, mode: 0o700 });
      const file = await open(fileOf(run.session), APPENDING, 0o600);
      try {
        const info = await file.stat();
        if (!info.isFile()) throw new Error(`${fileOf(run.session)} is no file`);
        // Looked at when the file is open: who removes it marks the run first.
        if (lstatSync(markOf(run.chain), { throwIfNoEntry: false })) {
          if (info.size === 0) await unlink(fileOf(run.session)).catch(unlessGone);
          return;
        }
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
    async list({ limit, before = Number.POSITIVE_INFINITY, text = '', workspaces }) {
      const words = lowerWords(text);
      const lines: SessionLine[] = [];
      for (const { path, changedAt } of words.length > 0 ? await newestWith(dir, words) : newestFirst(dir)) {
        if (lines.length >= limit) break;
        if (changedAt >= before) continue;
        const header = await headerOf(path);
        if (!header || (workspaces && !workspaces.includes(header.workspace))) continue;
        const title = header.title.toLowerCase();
        if (words.every(word => title.includes(word))) lines.push(lineOf(header, changedAt));
      }
      return lines;
    },
    async search({ sessions, text, limit }) {
      const words = lowerWords(text);
      if (words.length === 0) return [];
      const paths = sessions?.map(fileOf) ?? (await newestWith(dir, words)).map(({ path }) => path);
      const hits: Hit[] = [];
      for (const path of paths) {
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
      // Where a conversation of this name is there already, nothing is written.
      const file = await open(fileOf(to), 'ax', 0o600);
      try {
        await write(file, [header]);
      } finally {
        await file.close();
      }
    },
    async remove(session, { before = Number.POSITIVE_INFINITY } = {}) {
      const runs = await runsOf(session);
      const changed = lstatSync(fileOf(session), { throwIfNoEntry: false });
      if (changed && changed.mtimeMs >= before) return { workflowIds: [] };
      const open = runs.filter(({ ended }) => !ended);
      if (open.length > 0) await mkdir(removed, { recursive: true, mode: 0o700 });
      for (const { chain } of open) await writeFile(markOf(chain), '', { mode: 0o600 });
      await unlink(fileOf(session)).catch(unlessGone);
      return { workflowIds: runs.map(({ workflowId }) => workflowId) };
    },
  };
}

const SUFFIX = '.jsonl';
/** No link leads elsewhere, and no pipe is waited for. */
const APPENDING =
  constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;

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
  const stands = standing(before, run, after);
  // An attempt that nobody waits for any more, on a slow disk.
  if (stands === null) return;
  const { resetTo } = stands;
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
      { k: 'run', chain, run: stands.run },
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
  let last: RunRecord | null = null;
  for (const text of tail.toString('utf8').split('\n')) {
    const line = text.startsWith('{"k":"run"') ? readLine(text) : null;
    if (line?.k === 'run' && line.chain === chain && standing(last, line.run)?.isNews) last = line.run;
  }
  return last;
}

/** Null for a line that is torn, or of a form that is not known here. */
function readLine(text: string): Line | null {
  const line = parseJson(text);
  if (!isRecord(line)) return null;
  const { k, chain } = line;
  const isWhole =
    k === 'session'
      ? isText(line.id) && isText(line.title) && isText(line.workspace)
      : (k === 'run' || k === 'message' || k === 'event' || k === 'step' || k === 'reset') &&
        isText(chain) &&
        isRecord(line[k]);
  return isWhole ? (line as unknown as Line) : null;
}

/** The lines of a file that begin like this, also while it is written to; none where there is no file. */
async function* linesOf(path: string, ...beginnings: string[]): AsyncGenerator<Line> {
  const file = await open(path, 'r').catch(unlessGone);
  if (!file) return;
  try {
    let rest = Buffer.alloc(0);
    // The first line is often all that is wanted.
    for (let size = FIRST_READ_BYTES; ; size = Math.min(2 * size, READ_BYTES)) {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(size), 0, size);
      if (bytesRead === 0) return;
      let bytes = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
      for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE)) {
        const text = bytes.subarray(0, end);
        bytes = bytes.subarray(end + 1);
        if (!beginnings.some(each => text.subarray(0, each.length).equals(Buffer.from(each)))) continue;
        const line = readLine(text.toString('utf8'));
        if (line) yield line;
      }
      rest = bytes;
    }
  } finally {
    await file.close();
  }
}

async function headerOf(path: string): Promise<Header | null> {
  for await (const line of linesOf(path, '{"k":"session"')) if (line.k === 'session') return line;
  return null;
}

async function lastRuns(path: string): Promise<RunRecord[]> {
  const runs = new Map<string, RunRecord>();
  // Of two writers at the same moment, the one that is behind may have written last.
  for await (const line of linesOf(path, '{"k":"run"'))
    if (line.k === 'run' && standing(runs.get(line.chain) ?? null, line.run)?.isNews)
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

function newestFirst(dir: string): { path: string; changedAt: number }[] {
  return namesIn(dir)
    .filter(name => name.endsWith(SUFFIX))
    .flatMap(name => {
      const path = join(dir, name);
      const info = lstatSync(path, { throwIfNoEntry: false });
      return info?.isFile() ? [{ path, changedAt: info.mtimeMs }] : [];
    })
    .sort((a, b) => b.changedAt - a.changedAt);
}

function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch (error) {
    unlessGone(error);
    return [];
  }
}

function unlessGone(error: unknown): null {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
  throw error;
}

/** Files that may have these words, newest first: ripgrep looks for the longest one, as it stands in a file. */
async function newestWith(dir: string, words: readonly string[]): Promise<ReturnType<typeof newestFirst>> {
  const files = newestFirst(dir);
  const longest = words.reduce((long, word) => (word.length > long.length ? word : long));
  const pattern = JSON.stringify(longest).slice(1, -1);
  const args = [
    '--no-config',
    '--no-ignore',
    '--hidden',
    '--text',
    '-l',
    '-0',
    '-F',
    '-i',
    '-e',
    pattern,
    '--',
    dir,
  ];
  try {
    const { stdout } = await runProgram(rgPath, args, { maxBuffer: MOST_NAMES_BYTES });
    const found = new Set(stdout.split('\0'));
    return files.filter(({ path }) => found.has(path));
  } catch (error) {
    // It ends with 1 where there is none. Where it can't search, each file is read.
    return isRecord(error) && error.code === 1 ? [] : files;
  }
}

function hitsIn(path: string, words: readonly string[]): Hit[] {
  const inFile = textIn(path);
  const folded = inFile.toLowerCase();
  // As they stand in the file: most files have none of them, and are not read any closer.
  if (!words.every(word => folded.includes(JSON.stringify(word).slice(1, -1)))) return [];
  const lines = inFile.split('\n').flatMap(each => readLine(each) ?? []);
  const runs = new Map(lines.flatMap(line => (line.k === 'run' ? [[line.chain, line.run]] : [])));
  const hits = new Map<string, Hit>();
  for (const line of lines) {
    const run = line.k === 'message' ? runs.get(line.chain) : undefined;
    if (line.k === 'reset')
      for (const [key, { chain, message }] of hits)
        if (chain === line.chain && Number(message.slice(1)) > line.reset.id) hits.delete(key);
    if (line.k !== 'message' || !run) continue;
    const { id, at } = line.message;
    const text = partWith(searchedText(line.message), words);
    const { session, chain, workflowId } = run;
    if (text !== null && !hits.has(`${chain} ${id}`))
      hits.set(`${chain} ${id}`, { session, chain, workflowId, message: id, at, text });
  }
  return [...hits.values()].sort((a, b) => b.at - a.at);
}

function textIn(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    unlessGone(error);
    return '';
  }
}
