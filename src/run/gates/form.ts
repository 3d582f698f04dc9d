/** What a tool server asks a person while a call of it runs: its message, and a form that a JSON Schema describes. */

import type { JsonSchema } from '../../base/json/json.js';
import { isRecord, jsonBytes, MAX_JSON_DEPTH, nestsDeeper, stringOr } from '../../base/json/json.js';
import { readNumber } from '../../base/text/number.js';
import { cutChars, oneLine } from '../../base/text/preview.js';
import { escapeUnseen, visibleText } from '../../base/text/unseen.js';

export interface FormQuestion {
  message: string;
  /** Of an object whose fields are texts, numbers, truth values or lists of texts. */
  schema: JsonSchema;
}

/** From the activity of a call. `question` null: it is asked no more, and `by` says why. */
export interface FormMessage {
  callId: string;
  /** Tries of the call: what an earlier one asked waits for nobody. */
  attempt: number;
  id: string;
  question: FormQuestion | null;
  by?: 'timeout' | 'superseded';
}

/** A form whose schema is larger is not shown, and so not answered. */
const SCHEMA_BYTES = 6_000;
const MESSAGE_CHARS = 4_000;

const LONGEST_ID = 100;

export function fitsForm(schema: JsonSchema): boolean {
  return jsonBytes(schema) <= SCHEMA_BYTES;
}

export function fitQuestion({ message, schema }: FormQuestion): FormQuestion | null {
  return fitsForm(schema) ? { message: cutChars(message, MESSAGE_CHARS), schema } : null;
}

/** A message as it came, or null where it is none: anybody can send a signal. */
export function readFormMessage(raw: unknown): FormMessage | null {
  if (!isRecord(raw) || nestsDeeper(raw, MAX_JSON_DEPTH)) return null;
  const { callId, attempt, id, question } = raw;
  if (typeof callId !== 'string' || typeof attempt !== 'number' || typeof id !== 'string') return null;
  if (id.length > LONGEST_ID) return null;
  const by = raw.by === 'timeout' ? 'timeout' : 'superseded';
  if (!isRecord(question)) return { callId, attempt, id, question: null, by };
  const { message, schema } = question;
  if (typeof message !== 'string' || !isRecord(schema)) return null;
  const fits = fitQuestion({ message, schema });
  return fits && { callId, attempt, id, question: fits };
}

interface FormField {
  name: string;
  /** The name as a person reads it. */
  label: string;
  /** As the schema calls it: `string`, `number`, `integer`, `boolean`, `array`. */
  type: string;
  required: boolean;
  choices: Choice[];
  /** Title, description and choices. */
  words: string;
}

interface Choice {
  value: unknown;
  /** What a person reads; the value as text where it has none. */
  title: string;
}

export function formFields({ properties, required }: JsonSchema): FormField[] {
  const needed: unknown[] = Array.isArray(required) ? required : [];
  return Object.entries(isRecord(properties) ? properties : {}).map(([name, value]) => {
    const field = isRecord(value) ? value : {};
    const choices = choicesIn(field).concat(isRecord(field.items) ? choicesIn(field.items) : []);
    const words = [
      stringOr(field.title, ''),
      stringOr(field.description, ''),
      choices.map(choiceText).join(' | '),
      field.default === undefined ? '' : `= ${JSON.stringify(field.default)}`,
    ];
    return {
      name,
      label: labelOf(name),
      type: stringOr(field.type, 'string'),
      required: needed.includes(name),
      choices,
      words: oneLine(visibleText(words.filter(Boolean).join(' · '))),
    };
  });
}

/** Names that differ in blanks look different. */
function labelOf(name: string): string {
  return oneLine(name) === name ? visibleText(name) : escapeUnseen(JSON.stringify(name));
}

/** `enum`, where older servers put titles beside it, or constants with titles. */
function choicesIn({ enum: values, enumNames, oneOf, anyOf }: Record<string, unknown>): Choice[] {
  const titles: unknown[] = Array.isArray(enumNames) ? enumNames : [];
  if (Array.isArray(values)) return values.map((value, at) => choice(value, titles[at]));
  const titled = Array.isArray(oneOf) ? oneOf : Array.isArray(anyOf) ? anyOf : [];
  return titled.flatMap(each =>
    isRecord(each) && each.const !== undefined ? [choice(each.const, each.title)] : [],
  );
}

function choice(value: unknown, title: unknown): Choice {
  return { value, title: visibleText(stringOr(title, valueText(value))) };
}

/** An object of a stranger's may not be turned into a text as it likes. */
export function valueText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The value is what is to be given, so it stands there too. */
export function choiceText({ value, title }: Choice): string {
  const given = visibleText(valueText(value));
  return title === given ? given : `${title} (${given})`;
}

export function fieldLine({ label, type, required, words }: FormField): string {
  const head = `- ${label} (${type}${required ? '' : ', optional'})`;
  return words === '' ? head : `${head}: ${words}`;
}

/** What a person typed for one field, as its type has it; the title of a choice is its value. */
export function fieldValue({ type, choices }: Pick<FormField, 'type' | 'choices'>, text: string): unknown {
  const chosen =
    choices.find(({ value }) => valueText(value) === text) ??
    choices.find(({ title }) => title.toLowerCase() === text.toLowerCase());
  if (chosen && type !== 'array') return chosen.value;
  switch (type) {
    case 'number':
    case 'integer':
      // What is none is refused by the schema.
      return readNumber(text) ?? text;
    case 'boolean':
      return /^(?:y|yes|true)$/i.test(text) || (/^(?:n|no|false)$/i.test(text) ? false : text);
    case 'array':
      return text.split(',').map(part => fieldValue({ type: 'string', choices }, part.trim()));
    default:
      return text;
  }
}
