/** Reads single JSON values from models and people, leniently. */

import { isRecord, stringOr } from '../json/json.js';
import { fitsText } from './fit.js';

/**
 * The result of reading an output. `errors` are sentences for the only re-ask: field, expected, got. In a failure,
 * `value` is used if the re-ask fails too: the output was readable and only broke a rule. It is null if the output is
 * unusable.
 */
export type Parsed<T> = { ok: true; value: T } | { ok: false; errors: string[]; value: T | null };

const LONGEST_QUOTE = 40;

/** Returns the error sentence for a field: the expected value, and the actual one. */
export function expected(field: string, what: string, value: unknown): string {
  return `\`${field}\` must be ${what}, got ${described(value)}.`;
}

function described(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (typeof value === 'string') return `"${quoted(value)}"`;
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : 'an array';
  return isRecord(value) ? 'an object' : String(value);
}

/** Returns the beginning of a text on one line, for error sentences. */
export function quoted(text: string): string {
  const line = text
    .slice(0, LONGEST_QUOTE * 2)
    .replaceAll(/\s/g, ' ')
    .trim();
  return line.length > LONGEST_QUOTE ? `${line.slice(0, LONGEST_QUOTE)}…` : line;
}

/** Null counts as absent, because strict endpoints have no optional fields. */
export function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

/** Limit for a task's id as JSON. The id appears wherever the task is named, and is never cut. */
const LONGEST_ID_BYTES = 120;
const MOST_IDS = 40;

/** Returns an id as text, even if a model wrote a number; null if it is missing or too long. */
export function idOf(value: unknown): string | null {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  const id = stringOr(value, '').trim();
  return id !== '' && fitsText(id, LONGEST_ID_BYTES) ? id : null;
}

/** Reads a list of distinct ids. Absent and null give an empty list; other values and too many ids are errors. */
export function readIds(value: unknown, field: string, errors: string[]): string[] {
  if (isAbsent(value)) return [];
  if (!Array.isArray(value)) {
    errors.push(expected(field, 'an array of task ids', value));
    return [];
  }
  if (value.length > MOST_IDS) {
    errors.push(expected(field, `at most ${MOST_IDS} task ids`, value));
    return [];
  }
  const ids = new Set<string>();
  value.forEach((item: unknown, index) => {
    const id = idOf(item);
    if (id === null) errors.push(expected(`${field}[${index}]`, 'a task id', item));
    else ids.add(id);
  });
  return [...ids];
}

/** Returns the strings of a list that are not blank; empty for anything but a list. */
export function stringsOf(value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  return value.filter((item): item is string => typeof item === 'string' && item.trim() !== '');
}

/** Returns a finite number, also from text such as "2"; otherwise null. */
export function numberOrNull(value: unknown): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}

/** Returns a text, or a list of texts joined; null if blank or absent. */
export function textOrNull(value: unknown): string | null {
  const text = Array.isArray(value) ? stringsOf(value).join('; ') : stringOr(value, '');
  return text.trim() || null;
}
