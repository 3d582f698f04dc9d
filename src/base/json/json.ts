/** JSON helpers without Node: workflow code has neither Buffer nor a schema library. */

/** True for plain JSON objects, but not for null or arrays. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns a record's own member, safely for names such as `constructor` that every object inherits. */
export function ownValue<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

export function without<T extends object, K extends keyof T>(record: T, ...names: readonly K[]): Omit<T, K> {
  const left = Object.entries(record).filter(([name]) => !names.some(gone => gone === name));
  return Object.fromEntries(left) as Omit<T, K>;
}

/** Returns an unknown value as a T; undefined if it is not one. */
export type Reader<T> = (value: unknown) => T | undefined;

export type Readers<T> = { readonly [K in keyof T]-?: Reader<T[K]> };

/** Returns a record with exactly these fields; undefined if any of them is invalid. */
export function readFields<T>(value: unknown, readers: Readers<T>): T | undefined {
  if (!isRecord(value)) return undefined;
  const entries = Object.entries<Reader<unknown>>(readers);
  const fields = entries.map(([name, read]): [string, unknown] => [name, read(value[name])]);
  return fields.some(([, field]) => field === undefined) ? undefined : (Object.fromEntries(fields) as T);
}

/** Returns a reader that accepts a T unchanged. */
export function readIf<T>(isOne: (value: unknown) => value is T): Reader<T> {
  return value => (isOne(value) ? value : undefined);
}

export function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** True for a record whose values are all texts. */
export function isTexts(value: unknown): value is Record<string, string> {
  return isRecord(value) && Object.values(value).every(isText);
}

export function stringOr(value: unknown, fallback: string): string {
  return typeof value === 'string' ? value : fallback;
}

/** Returns a boolean, also from the words that models write for it; null for everything else. */
export function booleanOrNull(value: unknown): boolean | null {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string') return null;
  const word = value.trim().toLowerCase();
  return word === 'true' ? true : word === 'false' ? false : null;
}

/** Deeper JSON counts as broken, because recursive code, including libraries, would exhaust the stack. */
export const MAX_JSON_DEPTH = 64;

/** True if a text of JSON or nearly JSON nests deeper than `deepest`. Takes linear time and does not parse. */
export function nestsTooDeep(text: string, deepest = MAX_JSON_DEPTH): boolean {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (inString) {
      if (character === '\\') index += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') {
      inString = true;
    } else if (character === '{' || character === '[') {
      depth += 1;
      if (depth > deepest) return true;
    } else if (character === '}' || character === ']') {
      depth -= 1;
    }
  }
  return false;
}

type Step = { text: string } | { value: unknown };

/** Returns one text for equal JSON data: sorted keys, no spaces. Without recursion, as arguments may exceed the stack. */
export function canonicalJson(value: unknown): string {
  const out: string[] = [];
  const work: Step[] = [{ value }];
  for (let step = work.pop(); step !== undefined; step = work.pop()) {
    if ('text' in step) out.push(step.text);
    else if (typeof step.value === 'object' && step.value !== null) {
      for (const part of stepsOf(step.value).reverse()) work.push(part);
    } else if (typeof step.value === 'bigint') out.push(String(step.value));
    else out.push(JSON.stringify(step.value) ?? 'null');
  }
  return out.join('');
}

function stepsOf(value: object): Step[] {
  const isList = Array.isArray(value);
  const members: [string, unknown][] = isList ? value.map(item => ['', item]) : sortedMembers(value);
  const steps = members.flatMap(([key, member], index): Step[] => [
    { text: `${index > 0 ? ',' : ''}${key}` },
    { value: member },
  ]);
  return [{ text: isList ? '[' : '{' }, ...steps, { text: isList ? ']' : '}' }];
}

function sortedMembers(record: object): [string, unknown][] {
  return Object.entries(record)
    .filter(([, value]) => value !== undefined && typeof value !== 'function')
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([key, value]) => [`${JSON.stringify(key)}:`, value]);
}

/** Returns the bytes of a text in UTF-8. A lone surrogate counts 3, because encoders replace it by U+FFFD. */
export function utf8Length(text: string): number {
  let bytes = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) bytes += 1;
    else if (unit < 0x800) bytes += 2;
    else if (isHighSurrogate(unit) && isLowSurrogate(text.charCodeAt(index + 1))) {
      bytes += 4;
      index += 1;
    } else bytes += 3;
  }
  return bytes;
}

/** Returns the bytes of a value as JSON in UTF-8, which is its size in a payload before the codec; 0 for undefined. */
export function jsonBytes(value: unknown): number {
  const text = JSON.stringify(value);
  return text === undefined ? 0 : utf8Length(text);
}

/** True if a value nests deeper than `levels`, too deep for JSON.stringify and recursive readers. */
export function nestsDeeper(value: unknown, levels: number): boolean {
  let layer: unknown[] = [value];
  for (let depth = 0; layer.length > 0; depth += 1) {
    if (depth > levels) return true;
    layer = layer.flatMap(each => (typeof each === 'object' && each !== null ? Object.values(each) : []));
  }
  return false;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

/** NaN, which `charCodeAt` returns past the end, is not a surrogate. */
function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** Returns the value of a JSON text, with numbers as `exactJson` reads them; undefined if it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return exactJson(text);
  } catch {
    return undefined;
  }
}

// JSON whose numbers keep their digits (FE1). JavaScript only has doubles: 12345678901234567890 would become another
// number, and perhaps the id of another order. A number that a double can't hold is read as the text of its digits.

const QUOTE = 34;
const BACKSLASH = 92;
const NUMBER = /-?\d[\d.eE+-]*/y;
/** Numbers with this many digits survive a conversion to double and back. */
const SAFE_DIGITS = 15;

/** Like `JSON.parse`, except for numbers that a double can't hold. @throws SyntaxError */
export function exactJson(text: string): unknown {
  return JSON.parse(exactText(text));
}

/** Returns the same JSON text with quotes around each number that a double can't hold. Takes linear time. */
export function exactText(text: string): string {
  const numbers = [...inexactNumbers(text)];
  if (numbers.length === 0) return text;
  let out = '';
  let from = 0;
  for (const { at, digits } of numbers) {
    out += `${text.slice(from, at)}"${digits}"`;
    from = at + digits.length;
  }
  return out + text.slice(from);
}

/** Yields the numbers of a JSON text that a double can't hold. */
export function* inexactNumbers(text: string): Generator<{ at: number; digits: string }> {
  for (let at = 0; at < text.length; at += 1) {
    const sign = text.charCodeAt(at);
    if (sign === QUOTE) at = endOfString(text, at);
    else if (isDigit(sign)) {
      NUMBER.lastIndex = text[at - 1] === '-' ? at - 1 : at;
      const { 0: digits, index } = NUMBER.exec(text) ?? { 0: '', index: at };
      if (!isExact(digits)) yield { at: index, digits };
      at = index + digits.length - 1;
    }
  }
}

/** Returns the index of the quote that ends the string beginning at `start`. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let escapes = 0;
    while (text.charCodeAt(at - 1 - escapes) === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return at;
  }
  return text.length;
}

function isDigit(sign: number): boolean {
  return sign >= 48 && sign <= 57;
}

function isExact(digits: string): boolean {
  if (digits.length <= SAFE_DIGITS && /^[-\d.]*$/.test(digits)) return true;
  // Invalid numbers count as exact here, because the parser rejects them.
  return !JSON_NUMBER.test(digits) || decimalOf(digits) === decimalOf(String(Number(digits)));
}

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Returns the same text for equal decimals: sign, digits without surrounding zeros, exponent. */
function decimalOf(number: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(number) ?? [];
  const all = `${whole}${fraction}`.replace(/^0+/, '');
  const digits = all.replace(/(?<!0)0+$/, '');
  if (digits === '') return /\d/.test(number) ? '0' : number;
  return `${sign}${digits}e${Number(exponent) - fraction.length + all.length - digits.length}`;
}

/** Returns the same value with U+FFFD for lone surrogates in its texts and keys; the value itself if it has none. */
export function wellFormed<T>(value: T): T {
  return mended(value) as T;
}

function mended(value: unknown): unknown {
  if (typeof value === 'string') return value.isWellFormed() ? value : value.toWellFormed();
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map(mended);
    return items.every((item, at) => item === value[at]) ? value : items;
  }
  const entries = Object.entries(value);
  const changed = entries.map(([key, inner]) => [mended(key), mended(inner)] as [string, unknown]);
  const isSame = changed.every(([key, inner], at) => key === entries[at]?.[0] && inner === entries[at]?.[1]);
  return isSame ? value : Object.fromEntries(changed);
}

export type JsonSchema = Record<string, unknown>;
