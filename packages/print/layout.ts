/** Texts in the columns of a terminal: wide characters count two, styles none. Pure. */

import { oneLine } from 'steersman/shared';
import stringWidth from 'string-width';
import wrapAnsi from 'wrap-ansi';

/** Columns that the text takes. */
export function widthOf(text: string): number {
  return stringWidth(text);
}

/** An id in a column of a list: it writes no line of its own. */
export function padId(id: string, columns: number): string {
  return padText(oneLine(id), columns);
}

/** Lines of at most `width` columns; later ones begin with `indent`. Words longer than a line are cut. */
export function wrapText(text: string, width: number, indent = ''): string[] {
  const room = Math.max(8, width);
  const inner = Math.max(4, room - widthOf(indent));
  const [first = '', ...rest] = wrapAnsi(text, room, { hard: true, trim: false }).split('\n');
  if (rest.length === 0) return [first];
  if (indent === '') return [first, ...rest.map(line => line.replace(/^ /, ''))].map(trimEnd);
  // What is left after the first line is wrapped anew, narrower.
  const left = rest.join('\n').replace(/^ +/, '');
  const later = wrapAnsi(left.replace(/\n/g, ' '), inner, { hard: true, trim: true }).split('\n');
  return [trimEnd(first), ...later.map(line => `${indent}${line}`)];
}

/** Wrapping a line takes time that grows with its square: so much of it at a time. */
const PIECE = /.{1,2000}(?:\s|$)|.{1,2000}/gu;

/** Lines of at most `width` columns of a text of any length. */
export function longLines(text: string, width: number): string[] {
  return text
    .split('\n')
    .flatMap(line =>
      (line.match(PIECE) ?? ['']).flatMap(piece => wrapText(piece.replace(/\t/g, '    '), width)),
    );
}

/** One line of at most `width` columns, cut with `…` where it is longer. */
export function fitLine(text: string, width: number): string {
  const line = text.replace(/[\n\t]+/g, ' ');
  if (widthOf(line) <= width) return line;
  if (width <= 1) return width === 1 ? '…' : '';
  // As one word, so that it is cut at the last column and not before a word.
  const word = line.replaceAll(' ', '\u00a0');
  const [head = ''] = wrapAnsi(word, width - 1, { hard: true, trim: false }).split('\n');
  return `${head.replaceAll('\u00a0', ' ')}…`;
}

/** The text filled up with spaces to `width` columns, on the left with `right`. */
export function padText(text: string, width: number, align: 'left' | 'right' = 'left'): string {
  const fill = ' '.repeat(Math.max(0, width - widthOf(text)));
  return align === 'right' ? fill + text : text + fill;
}

/** Rows as columns as wide as their widest cells; those from number `figures` on end at one edge. None for no rows. */
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
