/** A call's arguments as fields that a person edits, and back. Pure. */
import { isRecord, parseJson } from 'steersman/base';
import type { ToolInput } from 'steersman/client';

type Place = readonly (string | number)[];

/** `text`: a string. `lines`: a string of several lines. `json`: any other value, as JSON. */
export type FieldKind = 'text' | 'lines' | 'number' | 'flag' | 'json';

export interface ArgumentField {
  /** Unique in the call, such as `edits.0.newText`. */
  name: string;
  place: Place;
  kind: FieldKind;
  /** The value as text; a flag is `true` or `false`. */
  text: string;
}

const MOST_FIELDS = 60;
const MOST_DEPTH = 3;

/** Lists and records become separate fields, down to a depth; deeper or longer ones are JSON. */
export function argumentFields(input: ToolInput): ArgumentField[] {
  const fields = Object.entries(input).flatMap(([name, value]) => fieldsAt([name], value, MOST_DEPTH));
  if (fields.length <= MOST_FIELDS) return fields;
  return Object.entries(input).flatMap(([name, value]) => fieldsAt([name], value, 1));
}

function fieldsAt(place: Place, value: unknown, depth: number): ArgumentField[] {
  const entries = isRecord(value) ? Object.entries(value) : Array.isArray(value) ? [...value.entries()] : [];
  if (depth > 1 && entries.length > 0)
    return entries.flatMap(([key, each]) => fieldsAt([...place, key], each, depth - 1));
  return [fieldOf(place, value)];
}

function fieldOf(place: Place, value: unknown): ArgumentField {
  const base = { name: place.join('.'), place };
  switch (typeof value) {
    case 'string':
      return { ...base, kind: value.includes('\n') || isTextName(place) ? 'lines' : 'text', text: value };
    case 'number':
      return { ...base, kind: 'number', text: String(value) };
    case 'boolean':
      return { ...base, kind: 'flag', text: String(value) };
    default:
      return { ...base, kind: 'json', text: JSON.stringify(value, null, 2) ?? 'null' };
  }
}

/** Names of arguments that hold the text of a file, even if it has one line now. */
const TEXT_NAMES = /^(?:contents?|(?:file|old|new)_?(?:text|string|str))$/i;

function isTextName(place: Place): boolean {
  return TEXT_NAMES.test(String(place.at(-1)));
}

/** The texts of changed fields, by name. */
export type FieldTexts = Readonly<Record<string, string>>;

export type Edited = { input: ToolInput } | { fault: string };

/** Returns the arguments with the edited texts; unchanged values stay exactly as they were. `fault`: the field in error. */
export function withTexts(input: ToolInput, texts: FieldTexts): Edited {
  const edited: unknown = structuredClone(input);
  for (const field of argumentFields(input)) {
    const text = Object.hasOwn(texts, field.name) ? texts[field.name] : undefined;
    if (text === undefined || text === field.text) continue;
    const value = typedValue(field.kind, text);
    if (value === undefined) return { fault: field.name };
    put(edited, field.place, value);
  }
  return { input: edited as ToolInput };
}

/** True if a field differs from the model's arguments. */
export function isEdited(input: ToolInput, texts: FieldTexts): boolean {
  return argumentFields(input).some(({ name, text }) => Object.hasOwn(texts, name) && texts[name] !== text);
}

function typedValue(kind: FieldKind, text: string): unknown {
  switch (kind) {
    case 'number': {
      // A number with more digits than a double holds becomes a text of its digits.
      const value = parseJson(text.trim());
      return typeof value === 'number' || (typeof value === 'string' && /^-?\d/.test(value))
        ? value
        : undefined;
    }
    case 'flag':
      return text === 'true';
    case 'json':
      return parseJson(text);
    default:
      return text;
  }
}

function put(root: unknown, place: Place, value: unknown): void {
  const [last = '', ...before] = [...place].reverse();
  const owner = before.reverse().reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], root);
  (owner as Record<string, unknown>)[last] = value;
}
