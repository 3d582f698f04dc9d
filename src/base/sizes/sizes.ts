/** Bytes of values as JSON in UTF-8, each measured once. */
import { jsonBytes } from '../json/json.js';

/** Returns a measure that is computed once per value, for values that never change. */
export function measuredOnce<V extends object, M>(measure: (value: V) => M): (value: V) => M {
  const known = new WeakMap<V, M>();
  return value => {
    let measured = known.get(value);
    if (measured === undefined) {
      measured = measure(value);
      known.set(value, measured);
    }
    return measured;
  };
}

/** Bytes of a value that never changes: a message, an event, a step, a task. */
export const sizeOf = measuredOnce<object, number>(jsonBytes);

/** Returns the bytes of a list of such values, with brackets and commas. */
export function sizeOfList(values: readonly object[]): number {
  return values.reduce((bytes: number, value) => bytes + sizeOf(value) + 1, 2);
}

/** Returns how many of the oldest values must be dropped to keep the list within `maxBytes`. */
export function countOver(values: readonly object[], maxBytes: number): number {
  let bytes = sizeOfList(values);
  let over = 0;
  for (; bytes > maxBytes; over += 1) bytes -= sizeOf(values[over] ?? {}) + 1;
  return over;
}

/** Sizes of members by their values; a value never occurs under two keys. */
const members = new WeakMap<object, number>();

/** Returns the bytes of a member of a record, with its key. */
export function sizeOfMember(key: string, value: object): number {
  const known = members.get(value);
  if (known !== undefined) return known;
  const bytes = jsonBytes(key) + sizeOf(value) + 2;
  members.set(value, bytes);
  return bytes;
}

export function sizeOfRecord(values: Readonly<Record<string, object>>): number {
  let bytes = 2;
  for (const key of Object.keys(values)) bytes += sizeOfMember(key, values[key] ?? {});
  return bytes;
}

/** Limit for an answer to a query: the SDK warns above 512 KB of payload, and the server refuses above 2 MB. */
export const PAGE_BYTES = 400_000;

/** Returns as many of the first values as fit a page, and at least one if there is any. It reads at most one value more. */
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
