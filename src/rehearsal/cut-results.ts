/** Puts results together that were too large to be given whole: head, tail and the pages read since. */
import type { Cut, ToolAnswer } from './tool-answer.js';

/** A result as far as it is known. */
export interface WholeResult {
  /** All of it, or its beginning up to the first part that is not known. */
  text: string;
  whole: boolean;
  totalBytes: number;
  /** For `read_result`; null for a result that was given whole. */
  ref: string | null;
  /** Parts that are not known: first byte, and the one behind the last. */
  gaps: [number, number][];
}

/** Largest page of `read_result`. */
const PAGE_BYTES = 15 * 1024;
/** A page may end this much earlier, at the end of a line. */
const PAGE_SLACK_BYTES = 512;

export type Page = Pick<ToolAnswer, 'text' | 'pageEnd'>;

interface Piece {
  start: number;
  bytes: Buffer;
}

/** The pieces of a shortened text; null where its own mark is not to be found at the place of the cut. */
function readCut(text: string, { totalBytes, offset }: Cut): Piece[] | null {
  for (const mark of text.matchAll(/\n\[… \d+ bytes left out …\]\n/g)) {
    // Where the beginning ends with a line, the line end before the mark stands for its own.
    const isLineEnd = Buffer.byteLength(text.slice(0, mark.index)) === offset - 1;
    const head = Buffer.from(text.slice(0, mark.index + (isLineEnd ? 1 : 0)));
    if (head.length !== offset) continue;
    const tail = Buffer.from(text.slice(mark.index + mark[0].length));
    return [
      { start: 0, bytes: head },
      { start: totalBytes - tail.length, bytes: tail },
    ];
  }
  return null;
}

/** A page as `read_result` gives it. */
function readPage({ text, pageEnd }: Page): Piece | null {
  if (pageEnd === null) return null;
  const bytes = Buffer.from(text);
  return { start: pageEnd - bytes.length, bytes };
}

/** Joins a result with the pages that were read of it: `pages` are those of `read_result` by reference. */
export function joinResult(
  { text, cut }: Pick<ToolAnswer, 'text' | 'cut'>,
  pages: ReadonlyMap<string, Page[]>,
): WholeResult {
  const cutPieces = cut && readCut(text, cut);
  if (!cut || !cutPieces)
    return { text, whole: true, totalBytes: Buffer.byteLength(text), ref: null, gaps: [] };
  const { ref, totalBytes } = cut;
  const paged = (pages.get(ref) ?? []).map(readPage).filter(page => page !== null);
  const pieces = [...cutPieces, ...paged].sort((a, b) => a.start - b.start);
  const all = Buffer.alloc(totalBytes);
  const gaps: [number, number][] = [];
  let known = 0;
  for (const { start, bytes } of pieces) {
    if (start > known) gaps.push([known, start]);
    bytes.copy(all, start);
    known = Math.max(known, start + bytes.length);
  }
  const end = gaps[0]?.[0] ?? totalBytes;
  return { text: all.subarray(0, end).toString('utf8'), whole: gaps.length === 0, totalBytes, ref, gaps };
}

/** Arguments of the `read_result` calls that bring what is missing, in order. */
export function missingPages({ ref, gaps }: WholeResult): { ref: string; offset: number; length: number }[] {
  if (ref === null) return [];
  return gaps.flatMap(([from, to]) => {
    const pages = [];
    for (let offset = from; offset < to; offset += PAGE_BYTES - PAGE_SLACK_BYTES) {
      pages.push({ ref, offset, length: Math.max(4, Math.min(PAGE_BYTES, to - offset)) });
    }
    return pages;
  });
}
