/** Puts results together that were too large to be given whole: head, tail and the pages read since. */

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

interface Piece {
  start: number;
  bytes: Buffer;
}

/** The pieces of a shortened text; null for a text that is whole, also one that quotes such a note. */
function readCut(text: string): { ref: string; totalBytes: number; pieces: Piece[] } | null {
  const note =
    /\n\[(\d+) bytes left out here; the whole is (\d+) bytes\. Read on with read_result \{"ref":"([^"\n]+)","offset":(\d+)\}\]\n/;
  const found = note.exec(text);
  if (!found) return null;
  const [all, , total = '', ref = '', offset = ''] = found;
  // Where the beginning ends with a line, the line end before the note stands for its own.
  const isLineEnd = Buffer.byteLength(text.slice(0, found.index)) === Number(offset) - 1;
  const head = Buffer.from(text.slice(0, found.index + (isLineEnd ? 1 : 0)));
  const tail = Buffer.from(text.slice(found.index + all.length));
  if (head.length !== Number(offset)) return null;
  const totalBytes = Number(total);
  const pieces = [
    { start: 0, bytes: head },
    { start: totalBytes - tail.length, bytes: tail },
  ];
  return { ref, totalBytes, pieces };
}

/** A page as `read_result` gives it. */
function readPage(text: string): Piece | null {
  const found = /\n\[bytes \d+ to (\d+) of \d+: [^\n]*\]$/.exec(text);
  if (!found) return null;
  const bytes = Buffer.from(text.slice(0, found.index));
  return { start: Number(found[1]) - bytes.length, bytes };
}

/** Joins a result with the pages that were read of it: `pages` are the texts of `read_result` by reference. */
export function joinResult(text: string, pages: ReadonlyMap<string, string[]>): WholeResult {
  const cut = readCut(text);
  if (!cut) return { text, whole: true, totalBytes: Buffer.byteLength(text), ref: null, gaps: [] };
  const { ref, totalBytes } = cut;
  const paged = (pages.get(ref) ?? []).map(readPage).filter(page => page !== null);
  const pieces = [...cut.pieces, ...paged].sort((a, b) => a.start - b.start);
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
