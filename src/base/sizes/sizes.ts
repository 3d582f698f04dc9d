/** Bytes of values as JSON in UTF-8, each measured once. */
import { jsonBytes } from '../json/json.js';

/** A measure that is taken once of each value: for values that never change. */
export function measuredOnce<V extends object, M>(measure: (value: V) => M): (value: V) => M {
  const known = new WeakMap<V, M>();
  return value => {
    const measured = known.get(value) ?? measure(value);
    known.set(value, measured);
    return measured;
  };
}

/** Bytes of a value that never changes: a message, an event, a step, a task. */
export const sizeOf = measuredOnce<object, number>(jsonBytes);

/** Bytes of a list of such values, with brackets and commas. */
export function sizeOfList(values: readonly object[]): number {
  return values.reduce((bytes: number, value) => bytes + sizeOf(value) + 1, 2);
}

/** How many of the oldest of such values are over so many bytes. */
export function countOver(values: readonly object[], maxBytes: number): number {
  let bytes = sizeOfList(values);
  let over = 0;
  for (; bytes > maxBytes; over += 1) bytes -= sizeOf(values[over] ?? {}) + 1;
  return over;
}

/** Sizes of members, by their values: none is ever under two keys. */
const members = new WeakMap<object, number>();

/** Bytes of a member of a record, with its key. */
export function sizeOfMember(key: string, value: object): number {
  const known = members.get(value);
  if (known !== undefined) return known;
  const bytes = jsonBytes(key) + sizeOf(value) + 2;
  members.set(value, bytes);
  return bytes;
}

export function sizeOfRecord(values: Readonly<Record<string, object>>): number {
  return Object.entries(values).reduce((bytes, [key, value]) => bytes + sizeOfMember(key, value), 2);
}

/** Of an answer to a query: the SDK warns above 512 KB of payload, the server refuses above 2 MB. */
export const PAGE_BYTES = 400_000;

/** As many of the first values as fit a page, at least one where there is one. Reads no more than that and one. */
export function firstPage<T>(values: Iterable<T>, bytesOf: (value: T) => number): T[] {
  const page: T[] = [];
  let bytes = 0;
  for (const value of values) {
    bytes += bytesOf(value);
    if (bytes > PAGE_BYTES && page.length > 0) break;
    page.push(value);
  }
  return page;
}
