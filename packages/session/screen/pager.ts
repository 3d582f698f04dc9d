/** A long text on the whole screen, read page by page. Pure. */

import { fitLine, padText } from '@steersman/print';
import type { Colors } from 'steersman/shared';
import type { Key } from '../input/keys.js';

export interface Reading {
  title: string;
  layout(width: number): string[];
}

export interface Pager extends Reading {
  /** Index of the first shown line; a value beyond the end shows the last page. */
  top: number;
  laid: { width: number; lines: readonly string[] };
}

export interface PageSize {
  columns: number;
  rows: number;
}

/** The request of a key other than a move. */
export type PagerKey = Pager | 'close' | 'earlier' | 'later';

export function openPager(reading: Reading, size: PageSize, atEnd: boolean): Pager {
  const top = atEnd ? Number.MAX_SAFE_INTEGER : 0;
  return fitPager({ ...reading, top, laid: { width: 0, lines: [] } }, size);
}

/** Lays the pager's lines out for the current width of the screen. */
export function fitPager(pager: Pager, { columns }: PageSize): Pager {
  const width = Math.max(20, columns - 1);
  return width === pager.laid.width ? pager : { ...pager, laid: { width, lines: pager.layout(width) } };
}

/** Returns one screen: the title, a page of the text, and the keys. `note`: another message for the person. */
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

const PAGES: Record<string, number> = { space: 1, pagedown: 1, f: 1, b: -1, pageup: -1 };
const LINES: Record<string, number> = { down: 1, j: 1, return: 1, up: -1, k: -1 };

export function pagerKey(pager: Pager, key: Key, size: PageSize): PagerKey {
  const { name = '', ctrl = false, shift = false, sequence = '' } = key;
  if (name === 'q' || name === 'escape' || (ctrl && ['c', 'o', 'd'].includes(name))) return 'close';
  if (sequence === 'G' || name === 'end' || (name === 'g' && shift))
    return { ...pager, top: Number.MAX_SAFE_INTEGER };
  if (name === 'home' || name === 'g') return { ...pager, top: 0 };
  if (name === 'left' || name === 'right') return name === 'left' ? 'earlier' : 'later';
  const page = Math.max(1, pageRows(size) - 1);
  const by = (PAGES[name] ?? 0) * page + (LINES[name] ?? 0);
  return by === 0 ? pager : { ...pager, top: Math.max(0, topOf(pager, size) + by) };
}

function pageRows({ rows }: PageSize): number {
  return Math.max(1, rows - 2);
}

function topOf({ top, laid }: Pager, size: PageSize): number {
  return Math.max(0, Math.min(top, laid.lines.length - pageRows(size)));
}
