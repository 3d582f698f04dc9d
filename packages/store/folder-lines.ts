/** The lines of a conversation's file: their forms, and reading them while others may write. */
import { createHash } from 'node:crypto';
import { constants, readdirSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { isRecord, isText, parseJson } from 'steersman/base';
import type { JournalEvent, Message } from 'steersman/run';
import {
  isAfter,
  isMark,
  isRunRecord,
  isStoredLine,
  type Mark,
  numberOf,
  type RunRecord,
  type StoredLine,
  writeEffect,
} from 'steersman/run';
import type { MessageOf, SessionStore } from 'steersman/shared';

const FIRST_READ_BYTES = 4 * 1024;
const READ_BYTES = 1024 * 1024;
export const NEWLINE = 10;

/** The first line of a file. */
export interface Header {
  k: 'session';
  v: 1;
  id: string;
  title: string;
  workspace: string;
  startedAt: number;
  parent?: MessageOf;
  /** A branch has a digest of its other fields: if its parent were lost, it would be another conversation (LL9). */
  sum?: string;
}

/** Returns the first lines of a branch. A damaged byte can spoil two lines, if it stood between them. */
export function branchLines(header: Header): Header[] {
  return Array.from({ length: 3 }, () => ({ ...header, sum: sumOf(header) }));
}

function sumOf({ id, title, workspace, startedAt, parent }: Header): string {
  const { session, chain, message } = parent ?? {};
  const parts = [id, title, workspace, startedAt, session, chain, message];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
}

/** Each line begins with its kind and its run, so that readers can skip most lines unparsed. */
export type Line =
  | Header
  | { k: 'run'; chain: string; run: RunRecord }
  /** The run was reset: lines before this one that are numbered after the mark are void. */
  | { k: 'reset'; chain: string; reset: Mark }
  | { k: 'message'; chain: string; thread: string; message: Message }
  | { k: 'event'; chain: string; event: JournalEvent };

export function lineFor(chain: string, kept: StoredLine): Line {
  return kept.kind === 'message'
    ? { k: 'message', chain, thread: kept.thread, message: kept.message }
    : { k: 'event', chain, event: kept.event };
}

function storedLine(line: Line): StoredLine | null {
  switch (line.k) {
    case 'message':
      return { kind: 'message', thread: line.thread, message: line.message };
    case 'event':
      return { kind: 'event', event: line.event };
    default:
      return null;
  }
}

/** Opens a regular file: links are not followed, and a pipe does not block. */
export async function openFile(path: string, flags: number): Promise<FileHandle> {
  const file = await open(path, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK, 0o600);
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw new Error(`${path} is not a regular file`);
}

/** Returns null for a torn line or an unknown form. */
export function readLine(text: string): Line | null {
  const line = parseJson(text);
  if (!isRecord(line)) return null;
  const { k, chain } = line;
  const isWhole = k === 'session' ? isHeader(line) : isText(chain) && isOfRun(line);
  return isWhole ? (line as unknown as Line) : null;
}

function isHeader(line: Record<string, unknown>): boolean {
  const { id, title, workspace, startedAt, parent, sum } = line;
  const isBranch =
    isRecord(parent) && isText(parent.session) && isText(parent.chain) && isText(parent.message);
  return (
    isText(id) &&
    isText(title) &&
    isText(workspace) &&
    Number.isFinite(startedAt) &&
    (parent === undefined || isBranch) &&
    (sum === undefined || sum === sumOf(line as unknown as Header))
  );
}

function isOfRun(line: Record<string, unknown>): boolean {
  if (line.k === 'run') return isRunRecord(line.run) && line.run.chain === line.chain;
  return line.k === 'reset' ? isMark(line.reset) : isStoredLine({ ...line, kind: line.k });
}

/** Yields the lines of a file that begin like this, even while it is written; nothing if there is no file. */
async function* linesOf(path: string, ...beginnings: string[]): AsyncGenerator<Line> {
  for await (const { bytes } of rawLines(path)) {
    const line = beginsWith(bytes, beginnings) ? readLine(bytes.toString('utf8')) : null;
    if (line) yield line;
  }
}

export function beginsWith(bytes: Buffer, beginnings: readonly string[]): boolean {
  return beginnings.some(each => bytes.subarray(0, each.length).equals(Buffer.from(each)));
}

interface RawLine {
  bytes: Buffer;
  /** Byte offset of the line in the file. */
  at: number;
}

export async function* rawLines(path: string): AsyncGenerator<RawLine> {
  const file = await openFile(path, constants.O_RDONLY).catch(unlessGone);
  if (!file) return;
  try {
    let rest = Buffer.alloc(0);
    let at = 0;
    // Begins with a small read, because callers often want only the first line.
    for (let size = FIRST_READ_BYTES; ; size = Math.min(2 * size, READ_BYTES)) {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(size), 0, size);
      if (bytesRead === 0) return;
      const bytes = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
      let begin = 0;
      for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, begin)) {
        yield { bytes: bytes.subarray(begin, end), at: at + begin };
        begin = end + 1;
      }
      at += begin;
      rest = bytes.subarray(begin);
    }
  } finally {
    await file.close();
  }
}

export async function headerOf(path: string): Promise<Header | null> {
  for await (const line of linesOf(path, '{"k":"session"')) if (line.k === 'session') return line;
  return null;
}

export async function lastRuns(path: string): Promise<RunRecord[]> {
  const runs = new Map<string, RunRecord>();
  // Two writers may write out of order, so the last line is not always the newest.
  for await (const line of linesOf(path, '{"k":"run"'))
    if (line.k === 'run' && writeEffect(runs.get(line.chain) ?? null, line.run)?.isNews)
      runs.set(line.chain, line.run);
  return [...runs.values()].sort((a, b) => a.startedAt - b.startedAt);
}

export async function readRecords(
  path: string,
  chain: string,
  { kind, after = 0, limit }: { kind: StoredLine['kind']; after?: number; limit: number },
): Promise<StoredLine[]> {
  const records = new Records(kind);
  const beginning = (k: Line['k']) => `{"k":"${k}","chain":${JSON.stringify(chain)}`;
  for await (const line of linesOf(path, beginning(kind), beginning('reset'))) records.take(line);
  return records
    .inOrder()
    .filter(kept => numberOf(kept) > after)
    .slice(0, limit);
}

/** Finds the places of each run's lines in one pass, and reads the lines only when the caller asks for that run. */
export async function* readEach(
  path: string,
  { kind, chains }: Parameters<SessionStore['readEach']>[1],
): AsyncGenerator<{ chain: string; records: StoredLine[] }> {
  const places = new Map<string, Place[]>(chains.map(chain => [chain, []]));
  for await (const { bytes, at } of rawLines(path)) {
    const [, k, chain = '""'] = LINE_OF.exec(bytes.subarray(0, BEGINNING_BYTES).toString('utf8')) ?? [];
    if (k === kind || k === 'reset') places.get(String(parseJson(chain)))?.push({ at, length: bytes.length });
  }
  const file = await openFile(path, constants.O_RDONLY).catch(unlessGone);
  if (!file) return;
  try {
    for (const chain of chains) {
      const records = new Records(kind);
      for (const { at, length } of together(places.get(chain) ?? [])) {
        const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, at);
        for (const text of buffer.subarray(0, bytesRead).toString('utf8').split('\n')) {
          const line = readLine(text);
          if (line && 'chain' in line && line.chain === chain) records.take(line);
        }
      }
      yield { chain, records: records.inOrder() };
    }
  } finally {
    await file.close();
  }
}

const LINE_OF = /^\{"k":"([a-z]+)","chain":("(?:[^"\\]|\\.)*")/;
const BEGINNING_BYTES = 2_000;

interface Place {
  at: number;
  length: number;
}

/** Merges nearby lines into one read, which includes the bytes between them. */
function together(places: readonly Place[]): Place[] {
  const spans: Place[] = [];
  for (const { at, length } of places) {
    const last = spans.at(-1);
    const end = at + length;
    if (last && at - last.at - last.length <= FIRST_READ_BYTES && end - last.at <= READ_BYTES)
      last.length = end - last.at;
    else spans.push({ at, length });
  }
  return spans;
}

/** Collects the records of one kind from a run's lines, in the order of their numbers. */
class Records {
  readonly #kind: StoredLine['kind'];
  readonly #found = new Map<number, StoredLine>();

  constructor(kind: StoredLine['kind']) {
    this.#kind = kind;
  }

  take(line: Line): void {
    const found = this.#found;
    if (line.k === 'reset')
      for (const [number, kept] of found) if (isAfter(line.reset, kept)) found.delete(number);
    const record = storedLine(line);
    if (record?.kind !== this.#kind) return;
    const number = numberOf(record);
    if (number > 0 && !found.has(number)) found.set(number, record);
  }

  inOrder(): StoredLine[] {
    return [...this.#found].sort(([a], [b]) => a - b).map(([, kept]) => kept);
  }
}

export function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch (error) {
    unlessGone(error);
    return [];
  }
}

export function unlessGone(error: unknown): null {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
  throw error;
}
