/** Reads lines of a file of any size in pieces, without loading all of it. */
import type { FileHandle } from 'node:fs/promises';
import { decoderOf, type Encoding } from '../text/encoding.js';

const PIECE_BYTES = 256 * 1024;
/** Up to this size the remaining lines are counted too. */
const MAX_COUNTED_BYTES = 64 * 1024 * 1024;
const MAX_LINE_CHARS = 2_000;

interface Wanted {
  /** Number of the first line, from 1. */
  first: number;
  most: number;
  maxBytes: number;
  encoding: Encoding;
}

interface Found {
  lines: string[];
  hasMore: boolean;
  /** Total number of lines; null if they were not counted. */
  total: number | null;
  /** Number of returned lines that are cut. */
  cutLines: number;
  /** True if some bytes are not text. */
  isDamaged: boolean;
}

export async function readLines(handle: FileHandle, wanted: Wanted, signal: AbortSignal): Promise<Found> {
  const { size } = await handle.stat();
  const collector = new Collector(wanted);
  const decoder = decoderOf(wanted.encoding);
  const piece = Buffer.alloc(PIECE_BYTES);
  let at = 0;
  while (!collector.isFull || size <= MAX_COUNTED_BYTES) {
    signal.throwIfAborted();
    const { bytesRead } = await handle.read(piece, 0, PIECE_BYTES, at);
    if (bytesRead === 0) return collector.end(decoder.decode());
    at += bytesRead;
    collector.take(decoder.decode(piece.subarray(0, bytesRead), { stream: true }));
  }
  return { ...collector.end(''), hasMore: true, total: null };
}

class Collector {
  readonly #wanted: Wanted;
  readonly #lines: string[] = [];
  #bytes = 0;
  /** Number of complete lines. */
  #count = 0;
  /** Beginning of the incomplete line, and its number of characters. */
  #line = '';
  #lineChars = 0;
  #cutLines = 0;
  #isDamaged = false;
  isFull = false;

  constructor(wanted: Wanted) {
    this.#wanted = wanted;
  }

  take(text: string): void {
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      this.#add(text, start, end);
      this.#endLine();
      start = end + 1;
    }
    this.#add(text, start, text.length);
  }

  end(rest: string): Found {
    this.take(rest);
    if (this.#lineChars > 0) this.#endLine();
    const { first } = this.#wanted;
    const lines = this.#lines;
    const hasMore = this.#count > first - 1 + lines.length;
    const found = { cutLines: this.#cutLines, isDamaged: this.#isDamaged };
    return { lines, hasMore, total: this.#count, ...found };
  }

  get #isWanted(): boolean {
    return !this.isFull && this.#count >= this.#wanted.first - 1;
  }

  #add(text: string, start: number, end: number): void {
    this.#lineChars += end - start;
    const room = MAX_LINE_CHARS + 1 - this.#line.length;
    if (this.#isWanted && room > 0) this.#line += text.slice(start, Math.min(end, start + room));
  }

  #endLine(): void {
    if (this.#isWanted) this.#keep(this.#line.replace(/\r$/, ''));
    this.#count += 1;
    this.#line = '';
    this.#lineChars = 0;
  }

  #keep(line: string): void {
    const isCut = line.length > MAX_LINE_CHARS;
    const kept = isCut ? `${line.slice(0, MAX_LINE_CHARS).replace(/[\uD800-\uDBFF]$/, '')}…` : line;
    const bytes = Buffer.byteLength(kept) + 1;
    if (this.#lines.length > 0 && this.#bytes + bytes > this.#wanted.maxBytes) {
      this.isFull = true;
      return;
    }
    this.#bytes += bytes;
    this.#lines.push(kept);
    if (isCut) this.#cutLines += 1;
    if (kept.includes('\ufffd')) this.#isDamaged = true;
    if (this.#lines.length >= this.#wanted.most) this.isFull = true;
  }
}
