/** Cuts of texts and JSON values to a size in bytes as JSON in UTF-8, each with a mark that says so. */

import { jsonBytes } from '../json/json.js';
import { TOLD_BYTES } from '../sizes/bounds.js';
import { headChars } from './large-text.js';

/** Most bytes that a UTF-16 unit takes as JSON: `\u0000`, and lone surrogates. */
const MOST_BYTES_A_UNIT = 6;

/** True when the text, encoded with its quotes, takes at most so many bytes. */
export function fitsText(text: string, maxBytes: number): boolean {
  return text.length * MOST_BYTES_A_UNIT + 2 <= maxBytes || jsonBytes(text) <= maxBytes;
}

/** The text within so many bytes: whole, else its head with a mark. Empty where not even the mark fits. */
export function cutText(text: string, maxBytes: number): string {
  return cut(text, maxBytes, '');
}

/** The text within so many bytes: whole, else its head and its end, with a mark between them. */
export function cutMiddle(text: string, maxBytes: number): string {
  if (fitsText(text, maxBytes)) return text;
  const mark = (left: number) => `… [cut: ${left} characters] …`;
  const room = Math.max(0, maxBytes - jsonBytes(mark(text.length)));
  const head = headWithin(text, Math.ceil(room / 2));
  const end = reversed(headWithin(reversed(text), Math.floor(room / 2)));
  return head + mark(text.length - head.length - end.length) + end;
}

/** By characters: no pair is parted. */
function reversed(text: string): string {
  return [...text].reverse().join('');
}

/** Whether a text ends with the mark of a cut. */
export function isCutText(text: string): boolean {
  return /… \[cut: \d+ characters\]$/.test(text);
}

/** A text that is told of an input, which may stand in it: a refusal, a reason. */
export function told(text: string): string {
  return cutText(text, TOLD_BYTES);
}

/** Cut where it should have been kept by reference, and could not be. */
export function cutWithoutStore(text: string, maxBytes: number): string {
  return cut(text, maxBytes, ', the store was not available');
}

function cut(text: string, maxBytes: number, why: string): string {
  if (fitsText(text, maxBytes)) return text;
  const mark = (left: number) => `… [cut: ${left} characters${why}]`;
  const room = maxBytes - jsonBytes(mark(text.length));
  if (room < 0) return '';
  const head = headWithin(text, room);
  return head + mark(text.length - head.length);
}

/** The longest head that takes at most so many bytes between quotes; never half a surrogate pair. */
export function headWithin(text: string, bytes: number): string {
  return headChars(text, unitsWithin(text, bytes));
}

function unitsWithin(text: string, bytes: number): number {
  let low = Math.min(text.length, Math.floor(Math.max(0, bytes) / MOST_BYTES_A_UNIT));
  let high = Math.min(text.length, Math.max(0, bytes));
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    // Two bytes are the quotes; half a pair takes 6 where the whole takes 4.
    if (jsonBytes(headChars(text, middle)) - 2 <= bytes) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** No text is cut shorter than this before lists are. */
const LEAST_TEXT_BYTES = 64;

/** A JSON value within so many bytes: the longest texts are cut first, then lists and records lose their last entries. */
export function fitted<T>(value: T, maxBytes: number): T {
  if (jsonBytes(value) <= maxBytes) return value;
  for (let text = maxBytes / 2; text >= LEAST_TEXT_BYTES; text /= 2) {
    const cut = cutIn(value, Math.floor(text), Number.POSITIVE_INFINITY);
    if (jsonBytes(cut) <= maxBytes) return cut as T;
  }
  for (let entries = 256; entries >= 1; entries = Math.floor(entries / 2)) {
    const cut = cutIn(value, LEAST_TEXT_BYTES, entries);
    if (jsonBytes(cut) <= maxBytes) return cut as T;
  }
  return cutIn(value, 2, 0) as T;
}

function cutIn(value: unknown, textBytes: number, entries: number): unknown {
  if (typeof value === 'string') return cutText(value, textBytes);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.slice(0, entries).map(item => cutIn(item, textBytes, entries));
  const members = Object.entries(value);
  const kept = members.length > MOST_FIELDS ? members.slice(0, entries) : members;
  return Object.fromEntries(kept.map(([key, member]) => [key, cutIn(member, textBytes, entries)]));
}

/** Records with more members are lists by key, and lose entries as lists do. */
const MOST_FIELDS = 30;

/** The last of a list, as many as take at most so many bytes. */
export function lastWithin<T>(all: readonly T[], maxBytes: number): T[] {
  const kept = [...all];
  while (jsonBytes(kept) > maxBytes) kept.shift();
  return kept;
}
