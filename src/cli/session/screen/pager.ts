/** A long text on the whole screen, read page by page. Pure. */

import type { Colors } from '../../../shared/output.js';
import { fitLine, padText } from '../../print/layout.js';
import type { Key } from '../input/keys.js';

export interface Reading {
  title: string;
  layout(width: number): string[];
}

export interface Pager extends Reading {
  /** The first line that is shown; beyond the last page: the last page. */
  top: number;
  laid: { width: number; lines: readonly string[] };
}

export interface PageSize {
  columns: number;
  rows: number;
}

/** What a key asks for beyond moving. */
export type PagerKey = Pager | 'close' | 'earlier' | 'later';

export function openPager({ title, layout }: Reading, { columns }: PageSize, atEnd: boolean): Pager {
  const width = Math.max(20, columns - 1);
  return { title, layout, top: atEnd ? Number.MAX_SAFE_INTEGER : 0, laid: { width, lines: layout(width) } };
}

export function fitPager(pager: Pager, { columns }: PageSize): Pager {
  const width = Math.max(20, columns - 1);
  return width === pager.laid.width ? pager : { ...pager, laid: { width, lines: pager.layout(width) } };
}

/** One screen: the title, a page of the text, and what keys do. `note` is what else a person should know. */
export function pagerLines(
  pager: Pager,
  size: PageSize,
  note: string,
  { bold, dim, yellow }: Colors,
): string[] {
  const { title, laid } = pager;
  const { width, lines } = laid;
  const page = pageRows(size);
  const top = topOf(pager, size);
  const shown = lines.slice(top, top + page);
  const last = Math.min(lines.length, top + page);
  const place = lines.length <= page ? 'all of it' : `lines ${top + 1} to ${last} of ${lines.length}`;
  const keys = `${place} · Space, b, arrows move · ← → earlier, later · q closes`;
  return [
    bold(padText(fitLine(`── ${title} `, width), width)),
    ...shown,
    ...Array.from({ length: page - shown.length }, () => dim('~')),
    note === '' ? dim(fitLine(keys, width)) : yellow(fitLine(`${note} · ${keys}`, width)),
  ];
}

export function pagerKey(pager: Pager, key: Key, size: PageSize): PagerKey {
  const page = Math.max(1, pageRows(size) - 1);
  const top = topOf(pager, size);
  const { name = '', ctrl = false, shift = false, sequence = '' } = key;
  if (name === 'q' || name === 'escape' || (ctrl && (name === 'c' || name === 'o' || name === 'd')))
    return 'close';
  const to = (line: number) => ({ ...pager, top: Math.max(0, line) });
  if (sequence === 'G' || name === 'end' || (name === 'g' && shift)) return to(Number.MAX_SAFE_INTEGER);
  switch (name) {
    case 'space':
    case 'pagedown':
    case 'f':
      return to(top + page);
    case 'b':
    case 'pageup':
      return to(top - page);
    case 'down':
    case 'j':
    case 'return':
      return to(top + 1);
    case 'up':
    case 'k':
      return to(top - 1);
    case 'home':
    case 'g':
      return to(0);
    case 'left':
      return 'earlier';
    case 'right':
      return 'later';
    default:
      return pager;
  }
}

function pageRows({ rows }: PageSize): number {
  return Math.max(1, rows - 2);
}

function topOf({ top, laid }: Pager, size: PageSize): number {
  return Math.max(0, Math.min(top, laid.lines.length - pageRows(size)));
}
