/** Cuts texts and JSON values to a size in bytes, as JSON in UTF-8, with a mark at each cut. */

import { jsonBytes } from '../json/json.js';
import { TOLD_BYTES } from '../sizes/bounds.js';
import { headChars } from './large-text.js';

/** The most bytes that a UTF-16 unit takes as JSON: `\u0000`, and lone surrogates. */
const MOST_BYTES_A_UNIT = 6;

/** True if the text, encoded with its quotes, takes at most `maxBytes`. */
export function fitsText(text: string, maxBytes: number): boolean {
  return text.length * MOST_BYTES_A_UNIT + 2 <= maxBytes || jsonBytes(text) <= maxBytes;
}

/** Returns the text if it fits, otherwise its head with a mark; empty if not even the mark fits. */
export function cutText(text: string, maxBytes: number): string {
  return cut(text, maxBytes, '');
}

/** Returns the text if it fits, otherwise its head and its end with a mark between them. */
export function cutMiddle(text: string, maxBytes: number): string {
  if (fitsText(text, maxBytes)) return text;
  const mark = (left: number) => `… [cut: ${left} characters] …`;
  const room = Math.max(0, maxBytes - jsonBytes(mark(text.length)));
  const head = headWithin(text, Math.ceil(room / 2));
  const end = reversed(headWithin(reversed(text), Math.floor(room / 2)));
  return head + mark(text.length - head.length - end.length) + end;
}

/** Reverses by characters, so that surrogate pairs stay together. */
function reversed(text: string): string {
  return [...text].reverse().join('');
}

/** True if a text ends with the mark of a cut. */
export function isCutText(text: string): boolean {
  return /… \[cut: \d+ characters\]$/.test(text);
}

/** Bounds a text about an input, which may quote it: a refusal, a reason. */
export function boundedText(text: string): string {
  return cutText(text, TOLD_BYTES);
}

/** Cuts a text that should have been stored by reference, but could not be. */
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

/** Returns the longest head that takes at most `bytes` between quotes. It never ends with half a surrogate pair. */
export function headWithin(text: string, bytes: number): string {
  return headChars(text, unitsWithin(text, bytes));
}

function unitsWithin(text: string, bytes: number): number {
  let low = Math.min(text.length, Math.floor(Math.max(0, bytes) / MOST_BYTES_A_UNIT));
  let high = Math.min(text.length, Math.max(0, bytes));
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    // The quotes take 2 bytes; half a pair would take 6, the whole pair takes 4.
    if (jsonBytes(headChars(text, middle)) - 2 <= bytes) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Texts are not cut below this size before lists are. */
const LEAST_TEXT_BYTES = 64;

/** Returns a JSON value within `maxBytes`: the longest texts are cut first, then lists and records lose their last entries. */
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

/** A record with more members is shortened as a list is: it loses entries. */
const MOST_FIELDS = 30;

/** Returns the last entries of a list that together take at most `maxBytes`. */
export function lastWithin<T>(all: readonly T[], maxBytes: number): T[] {
  const rest = [...all];
  while (jsonBytes(rest) > maxBytes) rest.shift();
  return rest;
}
