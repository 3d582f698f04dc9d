/** The lines of a file that a folder keeps a conversation in: what they are, and reading them while it is written to. */
import { readdirSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { JournalEvent } from '../../core/state/journal.js';
import type { Mark, RunRecord } from '../../core/state/kept.js';
import type { Message } from '../../core/state/message.js';
import type { TraceStep } from '../../core/state/trace.js';
import { isRecord, isText, parseJson } from '../../core/text/json.js';
import type { MessageOf } from './store.js';

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
}

/** Each line says first what it is, and of which run: readers look at no more of most lines. */
export type Line =
  | Header
  | { k: 'run'; chain: string; run: RunRecord }
  /** The run was reset: what stands before this line and comes behind the mark is no part of its story any more. */
  | { k: 'reset'; chain: string; reset: Mark }
  | { k: 'message'; chain: string; thread: string; message: Message }
  | { k: 'event'; chain: string; event: JournalEvent }
  | { k: 'step'; chain: string; step: TraceStep };

/** Null for a line that is torn, or of a form that is not known here. */
export function readLine(text: string): Line | null {
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
export async function* linesOf(path: string, ...beginnings: string[]): AsyncGenerator<Line> {
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

export async function headerOf(path: string): Promise<Header | null> {
  for await (const line of linesOf(path, '{"k":"session"')) if (line.k === 'session') return line;
  return null;
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
