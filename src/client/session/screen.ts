/**
 * What to write to a terminal so that lines scroll up for good above an area at the bottom, of which only what
 * differs is written anew: it is never erased first, so no frame lacks it. Pure.
 */
import { widthOf } from '../../print/layout.js';

const up = (rows: number) => (rows > 0 ? `\u001b[${rows}A` : '');
const down = (rows: number) => (rows > 0 ? `\u001b[${rows}B` : '');
/** To the end of the line, and of the screen. */
const CLEAR_LINE = '\u001b[K';
const CLEAR_BELOW = '\u001b[J';
/** Terminals that know this show all of it at once; others ignore it. */
const TOGETHER = ['\u001b[?2026h', '\u001b[?2026l'] as const;

/** The area as it stands on the screen; the cursor rests at the beginning of its last line. */
export interface Drawn {
  lines: readonly string[];
  columns: number;
}

export const NOTHING_DRAWN: Drawn = { lines: [], columns: 0 };

/** The bytes that print `printed` above the area and turn it into `next`; empty where nothing differs. */
export function frame(drawn: Drawn, next: Drawn, printed: readonly string[] = []): string {
  const body =
    printed.length > 0 || next.columns !== drawn.columns
      ? wholeFrame(drawn, next, printed)
      : changedLines(drawn.lines, next.lines);
  return body === '' ? '' : `${TOGETHER[0]}${body}${TOGETHER[1]}`;
}

/** Everything from the first line of the area on, written over what is there. */
function wholeFrame(drawn: Drawn, next: Drawn, printed: readonly string[]): string {
  const lines = [...printed, ...next.lines].map(line => `${line}${CLEAR_LINE}`);
  // With no area below, the cursor waits on a line of its own.
  const end = next.lines.length === 0 && printed.length > 0 ? '\r\n' : '';
  return `\r${up(rowsAbove(drawn, next.columns))}${lines.join('\r\n')}${end}${CLEAR_BELOW}\r`;
}

/** Rows between the first line of the area and its last: a terminal that has become narrower has wrapped them. */
function rowsAbove({ lines }: Drawn, columns: number): number {
  return lines
    .slice(0, -1)
    .reduce((rows, line) => rows + Math.max(1, Math.ceil(widthOf(line) / Math.max(1, columns))), 0);
}

function changedLines(before: readonly string[], after: readonly string[]): string {
  let text = '';
  let at = Math.max(0, before.length - 1);
  const moveTo = (row: number) => {
    text += `\r${row < at ? up(at - row) : down(row - at)}`;
    at = row;
  };
  const shared = Math.min(before.length, after.length);
  for (let row = 0; row < shared; row += 1) {
    if (before[row] === after[row]) continue;
    moveTo(row);
    text += `${after[row]}${CLEAR_LINE}`;
  }
  if (after.length < before.length) {
    moveTo(after.length);
    text += CLEAR_BELOW;
  }
  if (after.length > before.length) {
    if (before.length > 0) moveTo(before.length - 1);
    const more = after.slice(before.length).join('\r\n');
    // Only a newline makes room at the bottom of the screen.
    text += before.length > 0 ? `\r\n${more}` : more;
    at = after.length - 1;
  }
  if (text === '') return '';
  moveTo(Math.max(0, after.length - 1));
  return text;
}
