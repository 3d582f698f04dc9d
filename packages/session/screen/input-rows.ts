/** What is typed, in rows of the screen, with the cursor as a block that is always among them; and its choices. Pure. */

import { fitLine, padText, widthOf } from '@steersman/print';
import type { Colors } from 'steersman/shared';
import type { Line } from '../input/line-editor.js';
import type { Menu } from '../input/talk-state.js';

interface Row {
  from: number;
  to: number;
}

const segmenter = new Intl.Segmenter();

/** At most `most` rows of at most `width` columns, and a mark where there is more above or below them. */
export function inputRows(line: Pick<Line, 'text' | 'cursor'>, width: number, most: number): string[] {
  const { text, cursor } = line;
  // Two columns for the mark, one for a cursor behind the last character.
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

/** Rows as a terminal breaks them: at the last column, and at newlines. */
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

/** What a person sees as characters; plain ones without asking what they are, for a text may be long. */
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
  // Inverse is no colour: it marks the place also where colours are off.
  return `${text.slice(from, cursor)}\u001b[7m${under}\u001b[27m${after}`;
}

const MOST_TEXT_COLUMNS = 40;

/** At most `most` rows of at most `width` columns round the marked choice, and how many there are beside them. */
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
