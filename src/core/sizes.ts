/** Bytes of values as JSON in UTF-8, each measured once. */
import { jsonBytes } from './json.js';

/** Sizes of values that never change once they are made, so that each is measured once. */
const measured = new WeakMap<object, number>();

/** Bytes of a value that never changes: a message, an event, a step, a task. */
export function sizeOf(value: object): number {
  const known = measured.get(value);
  if (known !== undefined) return known;
  const bytes = jsonBytes(value);
  measured.set(value, bytes);
  return bytes;
}

/** Bytes of a list of such values, with brackets and commas. */
export function sizeOfList(values: readonly object[]): number {
  return values.reduce((bytes: number, value) => bytes + sizeOf(value) + 1, 2);
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

/** Bytes of a record of such values. */
export function sizeOfRecord(values: Readonly<Record<string, object>>): number {
  return Object.entries(values).reduce((bytes, [key, value]) => bytes + sizeOfMember(key, value), 2);
}
