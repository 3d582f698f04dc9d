/** Lays out the typed text in rows, with the cursor as a visible block; and the completion list. Pure. */

import { fitLine, padText, widthOf } from '@steersman/print';
import type { Colors } from 'steersman/shared';
import type { Line } from '../input/line-editor.js';
import type { Menu } from '../input/session-state.js';

interface Row {
  from: number;
  to: number;
}

const segmenter = new Intl.Segmenter();

/** Returns at most `most` rows of at most `width` columns, with a mark if more text is above or below. */
export function inputRows(line: Pick<Line, 'text' | 'cursor'>, width: number, most: number): string[] {
  const { text, cursor } = line;
  // Two columns are for the mark, one for a cursor after the last character.
  const rows = rowsOf(text, Math.max(4, width - 3));
  const at = rows.findLastIndex(({ from }) => from <= cursor);
  const first = Math.max(0, Math.min(at - Math.floor(most / 2), rows.length - most));
  const last = Math.min(rows.length, first + most) - 1;
  return rows.slice(first, last + 1).map((row, index) => {
    const number = first + index;
    const mark =
      index === 0 ? (first > 0 ? '↑' : '>') : number === last && last < rows.length - 1 ? '↓' : ' ';
    return `${mark} ${number === at ? withCursor(text, row, cursor) : text.slice(row.from, row.to)}`;
  });
}

/** Breaks rows like a terminal: at the last column, and at newlines. */
function rowsOf(text: string, width: number): Row[] {
  const rows: Row[] = [];
  let start = 0;
  for (const line of text.split('\n')) {
    rows.push(...rowsOfLine(line, start, width));
    start += line.length + 1;
  }
  return rows;
}

function rowsOfLine(line: string, start: number, width: number): Row[] {
  const rows: Row[] = [];
  let from = 0;
  let used = 0;
  for (const { index, columns } of charactersOf(line)) {
    if (used + columns > width) {
      rows.push({ from: start + from, to: start + index });
      from = index;
      used = 0;
    }
    used += columns;
  }
  rows.push({ from: start + from, to: start + line.length });
  return rows;
}

/** Yields graphemes with their width. ASCII needs no segmentation, which is slow for a long text. */
function* charactersOf(line: string): Generator<{ index: number; columns: number }> {
  if (/^[ -~]*$/.test(line)) {
    for (let index = 0; index < line.length; index += 1) yield { index, columns: 1 };
    return;
  }
  for (const { index, segment } of segmenter.segment(line)) yield { index, columns: widthOf(segment) };
}

function withCursor(text: string, { from, to }: Row, cursor: number): string {
  const [first] = segmenter.segment(text.slice(cursor, to));
  const under = first?.segment ?? ' ';
  const after = text.slice(cursor + (first?.segment.length ?? 0), to);
  // Inverse video is not a colour: it marks the cursor even without colours.
  return `${text.slice(from, cursor)}\u001b[7m${under}\u001b[27m${after}`;
}

const MOST_TEXT_COLUMNS = 40;

/** Returns at most `most` rows of at most `width` columns around the marked choice, with the number of hidden choices. */
export function menuRows(
  { completion, at }: Menu,
  width: number,
  most: number,
  { bold, dim }: Colors,
): string[] {
  const { choices } = completion;
  const first = Math.max(0, Math.min(at - Math.floor(most / 2), choices.length - most));
  const shown = choices.slice(first, first + most);
  const column = Math.min(MOST_TEXT_COLUMNS, Math.max(...shown.map(({ text }) => widthOf(text.trimEnd()))));
  const hidden = choices.length - shown.length;
  return shown.map(({ text, note }, index) => {
    const marked = first + index === at;
    const more = index === shown.length - 1 && hidden > 0 ? ` (${hidden} more)` : '';
    const name = padText(text.trimEnd(), note === '' ? 0 : column);
    const line = fitLine(
      `${marked ? '›' : ' '} ${name}${note === '' ? '' : `  ${note}`}`,
      width - more.length,
    );
    return `${marked ? bold(line) : line}${dim(more)}`;
  });
}
