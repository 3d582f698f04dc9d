/** Single values of JSON that models and people give, read with tolerance. */

import { isRecord, stringOr } from '../json/json.js';
import { fitsText } from './fit.js';

/**
 * What became of an output. `errors` are sentences for the one re-ask: field, expected, got. `value` of a
 * failure is what will do when the re-ask is spent, for outputs that are readable and only break a
 * rule; null when there is nothing to work with.
 */
export type Parsed<T> = { ok: true; value: T } | { ok: false; errors: string[]; value: T | null };

const LONGEST_QUOTE = 40;

/** The error sentence for a field: what it must be, and what it was. */
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

/** The beginning of a text on one line, for error sentences. */
export function quoted(text: string): string {
  const line = text
    .slice(0, LONGEST_QUOTE * 2)
    .replaceAll(/\s/g, ' ')
    .trim();
  return line.length > LONGEST_QUOTE ? `${line.slice(0, LONGEST_QUOTE)}…` : line;
}

/** Null counts as absent: strict endpoints know no optional fields. */
export function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

/** Of a task, as JSON: it stands wherever the task is named, and is never cut. */
const LONGEST_ID_BYTES = 120;
const MOST_IDS = 40;

/** An id as text: models write numbers too. Null when there is none, or one that is too long. */
export function idOf(value: unknown): string | null {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  const id = stringOr(value, '').trim();
  return id !== '' && fitsText(id, LONGEST_ID_BYTES) ? id : null;
}

/** A list of distinct ids; absent and null are an empty one, anything but ids is an error, and so are too many. */
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

/** The strings of a list that are not blank; empty for anything but a list. */
export function stringsOf(value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  return value.filter((item): item is string => typeof item === 'string' && item.trim() !== '');
}

/** A finite number, also from text such as "2"; else null. */
export function numberOrNull(value: unknown): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}

/** A text, or a list of texts as one; null when blank or absent. */
export function textOrNull(value: unknown): string | null {
  const text = Array.isArray(value) ? stringsOf(value).join('; ') : stringOr(value, '');
  return text.trim() || null;
}
