/**
 * Fields of role outputs. Each defines how it is read, its form in re-asks, and its JSON schema for endpoints. Plain
 * guards instead of a library, so that an update can't change a replay.
 */

import type { JsonSchema } from '../../base/json/json.js';
import { booleanOrNull, isRecord, stringOr } from '../../base/json/json.js';
import { parseRecord } from '../../base/json/json-in-text.js';
import { expected, idOf, isAbsent, numberOrNull, stringsOf } from '../../base/text/output-fields.js';

export interface Field<T = unknown> {
  form: string;
  schema: JsonSchema;
  /** `at` is the value's path in the output. An unreadable value becomes null or empty, and a fault. */
  read(value: unknown, at: string, faults: Faults): T;
}

export type Fields = Readonly<Record<string, Field>>;
type Read<F> = F extends Field<infer T> ? T : never;
export type ReadAll<S extends Fields> = { -readonly [K in keyof S]: Read<S[K]> };

interface Marks {
  /** The description for endpoints and re-asks. */
  about?: string;
  /** The field may be null or left out. */
  optional?: boolean;
  /** After the re-ask, the output is accepted without the field if it can't be read. */
  soft?: boolean;
  /** An unreadable value counts as left out, without a fault. */
  lax?: boolean;
}
type Nullable<T, M> = M extends { optional: true } | { soft: true } ? T | null : T;

/** The faults of an output, for the one re-ask. */
export class Faults {
  readonly said: string[] = [];
  /** A required field can't be read. */
  fatal = false;

  add(at: string, wanted: string, value: unknown, isSoft = false): void {
    this.said.push(expected(at, wanted, value));
    this.fatal ||= !isSoft;
  }
}

/** A field whose value is read whole, or becomes null or its default. */
function plain<T, M extends Marks>(
  marks: M,
  type: JsonSchema,
  form: string,
  wanted: string,
  readValue: (value: unknown) => T | null,
  byDefault: T | null = null,
): Field<Nullable<T, M>> {
  return {
    ...shapeOf(marks, form, type),
    read(value, at, faults) {
      const read = readValue(value);
      const mayLack = marks.lax || (isAbsent(value) && (marks.optional || byDefault !== null));
      if (read === null && !mayLack) faults.add(at, wanted, value, marks.soft);
      // The cast is safe: an unmarked null is a fault, and faulty output is discarded.
      return (read ?? byDefault) as Nullable<T, M>;
    },
  };
}

/** Null counts as left out, because strict endpoints have no optional fields. */
function shapeOf({ about, optional }: Marks, form: string, type: JsonSchema): Pick<Field, 'form' | 'schema'> {
  const full = optional ? `${form} or null` : form;
  const schema = optional ? { anyOf: [type, { type: 'null' }] } : type;
  return about
    ? { form: `${full} (${about})`, schema: { ...schema, description: about } }
    : { form: full, schema };
}

type TextMarks = Marks & { filled?: boolean };

/** Missing text is a fault only if `filled`: otherwise it becomes '', or null if optional. */
export function text<const M extends TextMarks>(
  marks: M = {} as M,
): Field<M extends { optional: true } ? string | null : string> {
  return {
    ...shapeOf(marks, 'string', { type: 'string' }),
    read(value, at, faults) {
      const read = stringOr(value, '').trim();
      if (read === '' && marks.filled) faults.add(at, 'a non-empty string', value, marks.soft);
      return read === '' && marks.optional ? (null as never) : read;
    },
  };
}

export function id<const M extends Marks>(marks: M = {} as M): Field<Nullable<string, M>> {
  return plain(marks, { type: 'string' }, 'string', 'a task id', idOf);
}

export function flag<const M extends Marks>(marks: M = {} as M, byDefault: boolean | null = null) {
  return plain<boolean, M>(marks, { type: 'boolean' }, 'boolean', 'a boolean', booleanOrNull, byDefault);
}

/** One of the words, case-insensitive. Words in `also` are read, but not asked for. */
export function word<const W extends string, const M extends Marks>(
  words: readonly W[],
  marks: M = {} as M,
  also: readonly W[] = [],
): Field<Nullable<W, M>> {
  const known = [...words, ...also];
  const form = words.map(each => `"${each}"`).join(' | ');
  return plain(marks, { type: 'string', enum: [...words] }, form, `one of ${known.join(', ')}`, value => {
    const given = stringOr(value, '').trim().toLowerCase();
    return known.find(each => each.toLowerCase() === given) ?? null;
  });
}

export function number<const M extends Marks>(marks: M = {} as M, scale: Scale = SCALES.any) {
  return plain<number, M>(marks, { type: 'number' }, 'number', scale.wanted, value => {
    const given = numberOrNull(value);
    return given === null ? null : scale.read(given);
  });
}

/** Texts that are not blank; a single text counts as a list of one. */
export function texts(marks: Marks = {}): Field<string[]> {
  return {
    ...shapeOf(marks, '[string]', { type: 'array', items: { type: 'string' } }),
    read(value, at, faults) {
      const items: unknown[] = Array.isArray(value) ? value : isAbsent(value) ? [] : [value];
      items.forEach((item, index) => {
        if (typeof item !== 'string' && !marks.lax) faults.add(`${at}[${index}]`, 'a string', item);
      });
      return stringsOf(items);
    },
  };
}

export function list<S extends Fields>(fields: S, marks: Marks = {}): Field<ReadAll<S>[]> {
  const object = `{ ${Object.keys(fields).join(', ')} }`;
  const wanted = `an array of ${object}`;
  return {
    ...shapeOf(marks, `[{ ${formOfFields(fields)} }]`, { type: 'array', items: closedObject(fields) }),
    read(value, at, faults) {
      if (!Array.isArray(value)) {
        if (!isAbsent(value) && !marks.lax) faults.add(at, wanted, value);
        return [];
      }
      return value.flatMap((item: unknown, index) => {
        const own = new Faults();
        const place = `${at}[${index}]`;
        const read = readFields(fields, isRecord(item) ? item : {}, own, place);
        // For an item that is not an object, the item is at fault, not its fields.
        const found = own.fatal && !isRecord(item) ? [expected(place, object, item)] : own.said;
        if (!marks.lax) faults.said.push(...found);
        if (!marks.lax) faults.fatal ||= own.fatal;
        return own.fatal ? [] : [read];
      });
    },
  };
}

export function record<S extends Fields>(fields: S, wanted = 'an object'): Field<ReadAll<S>> {
  return {
    form: `{ ${formOfFields(fields)} }`,
    schema: closedObject(fields),
    read(value, at, faults) {
      if (isRecord(value)) return readFields(fields, value, faults, at);
      const within = new Faults();
      const empty = readFields(fields, {}, within);
      faults.add(at, wanted, value, !within.fatal);
      return empty;
    },
  };
}

/** An object of any form. Strict endpoints don't support it, so its JSON text is accepted too. */
export function object(marks: Marks = {}): Field<Record<string, unknown>> {
  return {
    ...shapeOf(marks, 'object', { type: 'string', description: 'a JSON object' }),
    read(value, at, faults) {
      const given = typeof value === 'string' ? parseRecord(value.trim()) : (value ?? {});
      if (isRecord(given)) return given;
      faults.add(at, 'an object', value);
      return {};
    },
  };
}

/** A field that other code reads; only its form and schema are defined here. */
function unread(form: string, schema: JsonSchema): Field {
  return { form, schema, read: value => value };
}

export function constant(value: string): Field {
  return unread(`"${value}"`, { type: 'string', const: value });
}

/** A field that only one of several objects has; it is null in the others. */
export function orNull({ form, schema }: Field, when: string): Field {
  return unread(`${form} (${when})`, { anyOf: [schema, { type: 'null' }] });
}

/** One of several objects, each listed with its name. */
export function oneOf(objects: Readonly<Record<string, Fields>>): Field {
  const forms = Object.entries(objects).map(([name, fields]) => `{ ${formOfFields(fields)} } for ${name}`);
  const schemas = [...new Set(Object.values(objects))].map(closedObject);
  const [only] = Object.values(objects);
  return unread(only && forms.length === 1 ? `{ ${formOfFields(only)} }` : forms.join(' or '), {
    anyOf: schemas,
  });
}

export function readFields<S extends Fields>(
  fields: S,
  json: Record<string, unknown>,
  faults: Faults,
  at = '',
): ReadAll<S> {
  const read = Object.entries(fields).map(([name, field]) => [
    name,
    field.read(json[name], at === '' ? name : `${at}.${name}`, faults),
  ]);
  return Object.fromEntries(read) as ReadAll<S>;
}

export function formOfFields(fields: Fields): string {
  return Object.entries(fields)
    .map(([name, { form }]) => `"${name}": ${form}`)
    .join(', ');
}

/** Returns the schema of an object with exactly these fields, as strict endpoints require. */
export function closedObject(fields: Fields): JsonSchema {
  const properties = Object.fromEntries(Object.entries(fields).map(([name, { schema }]) => [name, schema]));
  return { type: 'object', properties, required: Object.keys(fields), additionalProperties: false };
}

interface Scale {
  wanted: string;
  read(number: number): number | null;
}

// JSON loses the sign of -0, so it becomes 0.
const inPercent = (number: number) => (number >= 0 && number <= 100 ? Math.abs(number) : null);
const WHOLE = 'a whole number from 0 to 100';

export const SCALES = {
  any: { wanted: 'a number', read: number => number },
  points: { wanted: 'a number from 0 to 100', read: inPercent },
  /** A fraction such as 0.85 is refused: it might mean 85. */
  percent: { wanted: WHOLE, read: number => (number > 0 && number < 1 ? null : inPercent(number)) },
  /** Values up to 1 are shares and count a hundredfold; larger values are percentages, as models write them. */
  share: {
    wanted: WHOLE,
    read(number) {
      const percent = inPercent(number);
      // Rounded, because 0.57 * 100 is 56.99999999999999.
      return percent !== null && percent <= 1 ? Math.round(percent * 1e12) / 1e10 : percent;
    },
  },
} as const satisfies Record<string, Scale>;
