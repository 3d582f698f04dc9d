/** Shortens the output of a command so that it still tells why the command failed (SE5). */
import { headChars } from '../../base/text/large-text.js';
import { cutHead, cutTail } from './text-cut.js';

/** Shares of what is shown: the beginning, the end, and the lines between them that tell of failures. */
const SHARES = { head: 1 / 8, tail: 1 / 2, telling: 5 / 16 };
/** Lines shown before and after each line that tells of a failure. */
const BEFORE = 1;
const AFTER = 3;
const MAX_LINE_CHARS = 400;

const TELLS =
  /\b(?:errors?|fail(?:s|ed|ing|ure|ures)?|fatal|panic(?:ked)?|exception|traceback|assert\w*|not ok|segmentation fault|undefined reference|cannot find)\b|\w(?:Error|Exception)\b|^\s*(?:[✗✘×✖●]|E {2,})|^\[… cut:/i;
/** Matches words of failure that report none: counts of zero, and names of files and packages. */
const TELLS_NOTHING =
  /\b(?:0|no) (?:errors?|fail(?:ed|ing|ures?))\b|\b(?:errors?|fail(?:ed|ures?)?)\s*[:=]?\s*0\b|\b(?=[\w-]*(?:error|fail|exception))[\w-]+(?:\.\w+|@\d\S*)/gi;

export interface Excerpt {
  text: string;
  /** The size of the beginning. Anything after it may be left out. */
  headBytes: number;
}

/** Returns about `mostBytes` of an output that has more. */
export function commandExcerpt(bytes: Buffer, mostBytes: number): Excerpt {
  const head = cutHead(bytes, mostBytes * SHARES.head);
  const tail = cutTail(bytes.subarray(head.length), mostBytes * SHARES.tail);
  const middle = bytes.subarray(head.length, bytes.length - tail.length).toString('utf8');
  const parts = [head.toString('utf8').replace(/\n$/, '')];
  parts.push(...failureLines(middle, mostBytes * SHARES.telling), tail.toString('utf8'));
  return { text: parts.join('\n'), headBytes: head.length };
}

/** Lines that tell of failures with their neighbours, the first ones first; between them the size of what is left out. */
function failureLines(text: string, mostBytes: number): string[] {
  const lines = text.replace(/\n$/, '').split('\n');
  const shown: string[] = [];
  let [room, next, left] = [mostBytes, 0, 0];
  const leaveOut = (to: number) => {
    for (; next < to; next += 1) left += Buffer.byteLength(lines[next] ?? '') + 1;
  };
  const sayLeft = () => {
    if (left > 0) shown.push(`[… ${left} bytes left out …]`);
    left = 0;
  };
  for (const [at, line] of lines.entries()) {
    if (at < next - AFTER || !tells(line)) continue;
    const from = Math.max(next, at - BEFORE);
    const part = lines.slice(from, at + AFTER + 1).map(cutLine);
    if (part.length === 0) continue;
    const size = Buffer.byteLength(part.join('\n')) + 40;
    if (size > room) break;
    room -= size;
    leaveOut(from);
    sayLeft();
    shown.push(...part);
    next = from + part.length;
  }
  leaveOut(lines.length);
  sayLeft();
  return shown;
}

function cutLine(line: string): string {
  return line.length > MAX_LINE_CHARS ? `${headChars(line, MAX_LINE_CHARS)}…` : line;
}

const WENT_WELL = /^\s*(?:[✓✔√]|ok\b|PASS)/;

function tells(line: string): boolean {
  return !WENT_WELL.test(line) && TELLS.test(line.slice(0, 2_000).replace(TELLS_NOTHING, ''));
}
