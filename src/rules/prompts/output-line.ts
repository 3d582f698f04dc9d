/** Shortens a tool's output: how a command ended; for other calls, the beginning and the end. */

import { fitsText, headWithin } from '../../base/text/fit.js';
import { headChars, tailChars } from '../../base/text/large-text.js';
import { oneLine, preview } from '../../base/text/preview.js';
import { fill, type Words } from '../../base/words/words.js';

export interface OutputLine {
  /** The output on one line; only the beginning of a long one. */
  said: string;
  /** The end of the output, if `said` is its beginning. */
  last?: string;
  /** Lines of the output that are left out. */
  left?: number;
}

const EXIT = /\bexit(?:ed)?\b.*?\d+/i;

/** Returns the first line, and the last other line with an exit code: one of the two is not the command's own output. */
export function outputLine(text: string, maxChars: number): OutputLine | null {
  const [first, ...others] = linesOf(text);
  if (first === undefined) return null;
  const last = others.findLast(line => EXIT.test(line));
  const left = others.length - (last === undefined ? 0 : 1);
  const chars = Math.floor((maxChars - BETWEEN.length) / 2);
  const said =
    last === undefined
      ? fromExit(first, maxChars)
      : `${fromExit(first, chars)}${BETWEEN}${fromExit(last, chars)}`;
  return { said, ...(left > 0 && { left }) };
}

/** Cuts a line that is too long from the exit code on. */
function fromExit(line: string, chars: number): string {
  return preview(line.length > chars ? line.slice(Math.max(0, line.search(EXIT))) : line, chars);
}

const BETWEEN = ' … ';

/** Returns all lines joined; for a longer text its beginning and end, and the number of lines between. */
export function digest(text: string, maxChars: number): OutputLine | null {
  const lines = linesOf(text).map(oneLine);
  if (lines.length === 0) return null;
  const whole = lines.join(BREAK);
  if (whole.length <= maxChars) return { said: whole };
  const room = Math.floor(maxChars / 2);
  const head = countWithin(lines, room);
  const rest = lines.slice(head);
  const tail = countWithin(rest.toReversed(), room);
  if (head + tail === lines.length) return { said: whole };
  // If not even one line fits, a part of it is shown.
  const said = head > 0 ? lines.slice(0, head).join(BREAK) : `${headChars(lines[0] ?? '', room)}…`;
  const last = tail > 0 ? rest.slice(-tail).join(BREAK) : `…${tailChars(rest.at(-1) ?? '', room)}`;
  const left = Math.max(0, lines.length - Math.max(1, head) - Math.max(1, tail));
  return { said, last, ...(left > 0 && { left }) };
}

/** Returns the text as it is read, with the number of omitted lines. */
export function outputText(words: Words, { said, last, left = 0 }: OutputLine): string {
  if (last === undefined) return said;
  return [said, ...(left > 0 ? [fill(words.evidenceLines, { count: left })] : []), last].join(' ');
}

const BREAK = ' / ';

function linesOf(text: string): string[] {
  return text.split('\n').filter(line => line.trim() !== '');
}

function countWithin(lines: readonly string[], chars: number): number {
  let room = chars;
  const over = lines.findIndex(line => {
    room -= line.length + BREAK.length;
    return room < 0;
  });
  return over < 0 ? lines.length : over;
}

/** Lines that each group of removed, added or unchanged lines may keep: tried in order until the difference fits. */
const KEPT_LINES = [30, 15, 8, 4, 2, 1];

/** Returns a difference within `bytes`. Every group keeps its first lines, so that no group is missing completely. */
export function diffWithin(diff: string, bytes: number): string {
  if (fitsText(diff, bytes)) return diff;
  const runs = diff.split('\n').reduce<string[][]>((all, line) => {
    const last = all.at(-1);
    if (last?.[0]?.charAt(0) === line.charAt(0)) last.push(line);
    else all.push([line]);
    return all;
  }, []);
  const shown = KEPT_LINES.map(most => runs.flatMap(run => shortRun(run, most)).join('\n'));
  return shown.find(each => fitsText(each, bytes)) ?? headWithin(shown.at(-1) ?? '', bytes);
}

function shortRun(run: readonly string[], most: number): readonly string[] {
  if (run.length <= most + 1) return run;
  return [...run.slice(0, most), `${run[0]?.charAt(0) ?? ''}… (${run.length - most})`];
}
