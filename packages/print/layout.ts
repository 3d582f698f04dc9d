/** Lays texts out in the columns of a terminal: wide characters take two columns, styles take zero. Pure. */

import { oneLine } from 'steersman/shared';
import stringWidth from 'string-width';
import wrapAnsi from 'wrap-ansi';

/** Returns the number of columns of a text. */
export function widthOf(text: string): number {
  return stringWidth(text);
}

/** Pads an id for a list, on one line even if it contains newlines. */
export function padId(id: string, columns: number): string {
  return padText(oneLine(id), columns);
}

/** Wraps a text to lines of at most `width` columns; later ones begin with `indent`. Longer words are cut. */
export function wrapText(text: string, width: number, indent = ''): string[] {
  const room = Math.max(8, width);
  const inner = Math.max(4, room - widthOf(indent));
  const [first = '', ...rest] = wrapAnsi(text, room, { hard: true, trim: false }).split('\n');
  if (rest.length === 0) return [first];
  if (indent === '') return [first, ...rest.map(line => line.replace(/^ /, ''))].map(trimEnd);
  // The text after the first line is wrapped again, narrower.
  const left = rest.join('\n').replace(/^ +/, '');
  const later = wrapAnsi(left.replace(/\n/g, ' '), inner, { hard: true, trim: true }).split('\n');
  return [trimEnd(first), ...later.map(line => `${indent}${line}`)];
}

/** Wrapping takes time that grows with the square of the length, so long lines are wrapped in pieces. */
const PIECE = /.{1,2000}(?:\s|$)|.{1,2000}/gu;

/** Wraps a text of any length to lines of at most `width` columns. */
export function longLines(text: string, width: number): string[] {
  return text
    .split('\n')
    .flatMap(line =>
      (line.match(PIECE) ?? ['']).flatMap(piece => wrapText(piece.replace(/\t/g, '    '), width)),
    );
}

/** Returns a line of at most `width` columns; a longer one ends with `…`. */
export function fitLine(text: string, width: number): string {
  const line = text.replace(/[\n\t]+/g, ' ');
  if (widthOf(line) <= width) return line;
  if (width <= 1) return width === 1 ? '…' : '';
  // Joined to one word, the line is cut at the last column instead of before a word.
  const word = line.replaceAll(' ', '\u00a0');
  const [head = ''] = wrapAnsi(word, width - 1, { hard: true, trim: false }).split('\n');
  return `${head.replaceAll('\u00a0', ' ')}…`;
}

/** Pads the text with spaces to `width` columns; `right` pads on the left. */
export function padText(text: string, width: number, align: 'left' | 'right' = 'left'): string {
  const fill = ' '.repeat(Math.max(0, width - widthOf(text)));
  return align === 'right' ? fill + text : text + fill;
}

/** Aligns rows in columns; columns from number `figures` on are right-aligned. Returns no lines for no rows. */
export function columnLines(
  rows: readonly (readonly string[])[],
  figures = Number.POSITIVE_INFINITY,
): string[] {
  const widths = rows[0]?.map((_, at) => Math.max(...rows.map(row => widthOf(row[at] ?? '')))) ?? [];
  const cell = (text: string, at: number) => padText(text, widths[at] ?? 0, at < figures ? 'left' : 'right');
  return rows.map(row => trimEnd(row.map(cell).join('  ')));
}

function trimEnd(line: string): string {
  return line.replace(/ +$/, '');
}
