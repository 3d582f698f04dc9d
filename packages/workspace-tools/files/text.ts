/** Formats the answers of the workspace's tools: sizes, bounded lists, numbered lines. */
import type { FileHandle } from 'node:fs/promises';
import { type Encoding, encoded, encodingOf, wholeText } from '../text/encoding.js';

/** Limit for an answer: a run shows this much unshortened. */
export const MAX_ANSWER_BYTES = 15_000;
export const MAX_TEXT_FILE_BYTES = 16 * 1024 * 1024;
const PROBE_BYTES = 8_192;

export function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const units = ['KB', 'MB', 'GB', 'TB'];
  let value = bytes / 1024;
  while (value >= 1000 && units.length > 1) {
    value /= 1024;
    units.shift();
  }
  return `${value.toFixed(1)} ${units[0]}`;
}

/** Returns a foreign name that stays within a line: it is written as JSON if it contains a line break of any kind. */
export function nameText(name: string): string {
  if (!/[\p{Cc}\p{Zl}\p{Zp}]/u.test(name)) return name;
  const escaped = (sign: string) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(name).replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, escaped);
}

/** A list of lines that is limited to the size of an answer. */
export class BoundedLines {
  readonly lines: string[] = [];
  #left: number;
  readonly #most: number;

  constructor(most: number, bytes = MAX_ANSWER_BYTES) {
    this.#most = most;
    this.#left = bytes;
  }

  /** Returns false if the line did not fit: it and all later lines are dropped. */
  add(line: string): boolean {
    const bytes = Buffer.byteLength(line) + 1;
    if (this.lines.length >= this.#most || bytes > this.#left) {
      this.#left = 0;
      return false;
    }
    this.#left -= bytes;
    this.lines.push(line);
    return true;
  }
}

export function numbered(lines: readonly string[], first: number): string[] {
  return lines.map((line, index) => `${first + index}: ${line}`);
}

/** Reads the first bytes of a file, which reveal its kind. */
export async function headOf(handle: FileHandle): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(PROBE_BYTES), 0, PROBE_BYTES, 0);
  return buffer.subarray(0, bytesRead);
}

/** Reads all bytes of a file up to a limit; `is` names it in the error. @throws Error for the model. */
export async function wholeFile(handle: FileHandle, is: string, most: number): Promise<Buffer> {
  const { size } = await handle.stat();
  if (size > most) throw new Error(`${is} of ${sizeText(size)}: the limit is ${sizeText(most)}.`);
  return handle.readFile();
}

/** Reads a file to be changed: its text must encode to exactly the same bytes. @throws Error for the model. */
export async function exactText(
  handle: FileHandle,
  shown: string,
): Promise<{ text: string; encoding: Encoding }> {
  const bytes = await wholeFile(handle, `${shown} is a file`, MAX_TEXT_FILE_BYTES);
  const encoding = encodingOf(bytes);
  const text = encoding === null ? '\0' : wholeText(bytes, encoding);
  if (encoding === null || text.includes('\0') || !encoded(text, encoding).equals(bytes))
    throw new Error(`${shown} is not text that can be written back unchanged, so it cannot be edited.`);
  return { text, encoding };
}
