/** The question that a tool server asks a person during a call: a message, and a form described by a JSON Schema. */

import type { JsonSchema } from '../../base/json/json.js';
import { isRecord, stringOr } from '../../base/json/json.js';
import { readNumber } from '../../base/text/number.js';
import { cutChars, oneLine } from '../../base/text/preview.js';
import { escapeUnseen, visibleText } from '../../base/text/unseen.js';
import { fitsForm } from './gate.js';

export interface FormQuestion {
  message: string;
  /** An object schema whose fields are texts, numbers, booleans or lists of texts. */
  schema: JsonSchema;
}

/** A signal from a call's activity. `question` null withdraws the question, and `by` says why. */
export interface FormMessage {
  callId: string;
  /** The attempt of the call: a question of an earlier attempt is obsolete. */
  attempt: number;
  id: string;
  question: FormQuestion | null;
  by?: 'timeout' | 'superseded';
}

const MESSAGE_CHARS = 4_000;

export function fitQuestion({ message, schema }: FormQuestion): FormQuestion | null {
  return fitsForm(schema) ? { message: cutChars(message, MESSAGE_CHARS), schema } : null;
}

interface FormField {
  name: string;
  /** The name as a person sees it. */
  label: string;
  /** The server's name for people; empty if it gave none. */
  title: string;
  /** The schema's type: `string`, `number`, `integer`, `boolean`, `array`. */
  type: string;
  required: boolean;
  choices: Choice[];
  /** The server's words about it; empty if it gave none. */
  description: string;
  /** Description, choices and default, for texts. */
  hint: string;
}

interface Choice {
  value: unknown;
  /** The text that a person sees; by default the value as text. */
  title: string;
}

export function formFields({ properties, required }: JsonSchema): FormField[] {
  const needed: unknown[] = Array.isArray(required) ? required : [];
  return Object.entries(isRecord(properties) ? properties : {}).map(([name, value]) => {
    const field = isRecord(value) ? value : {};
    const choices = choicesIn(field).concat(isRecord(field.items) ? choicesIn(field.items) : []);
    const description = oneLine(visibleText(stringOr(field.description, '')));
    const hint = [
      description,
      choices.map(choiceText).join(' | '),
      field.default === undefined ? '' : `= ${JSON.stringify(field.default)}`,
    ];
    return {
      name,
      label: labelOf(name),
      title: oneLine(visibleText(stringOr(field.title, ''))),
      type: stringOr(field.type, 'string'),
      required: needed.includes(name),
      choices,
      description,
      hint: oneLine(visibleText(hint.filter(Boolean).join(' · '))),
    };
  });
}

/** Names that differ only in blanks must look different. */
function labelOf(name: string): string {
  return oneLine(name) === name ? visibleText(name) : escapeUnseen(JSON.stringify(name));
}

/** Reads `enum`, with titles in `enumNames` as older servers send them, or constants with titles. */
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

/** Objects become JSON, because a foreign object may define its own conversion to text. */
export function valueText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The text shows the value too, since the value is what will be sent. */
export function choiceText({ value, title }: Choice): string {
  const given = visibleText(valueText(value));
  return title === given ? given : `${title} (${given})`;
}

export function fieldLine({ label, title, hint, type, required }: FormField): string {
  const head = `- ${label} (${type}${required ? '' : ', optional'})`;
  const words = [title, hint].filter(Boolean).join(' · ');
  return words === '' ? head : `${head}: ${words}`;
}

/**
 * Returns the values that a typed text may mean for a field's type: a choice by its title, its value, or both as shown.
 * Several values mean that the text is ambiguous.
 */
export function typedValues({ type, choices }: Pick<FormField, 'type' | 'choices'>, text: string): unknown[] {
  if (type === 'array') return typedLists(choices, text);
  const chosen = choicesNamed(choices, text);
  return chosen.length > 0 ? chosen : [plainValue(type, text)];
}

/** Returns the value that a person chose from a field's list (by the value as text), or typed into a field without a list. */
export function fieldValue({ type, choices }: Pick<FormField, 'type' | 'choices'>, text: string): unknown {
  if (choices.length > 0) return choices.find(({ value }) => valueText(value) === text)?.value ?? text;
  return type === 'array' ? splitList(text) : plainValue(type, text);
}

function plainValue(type: string, text: string): unknown {
  switch (type) {
    case 'number':
    case 'integer':
      // The schema refuses a text that is not a number.
      return readNumber(text) ?? text;
    case 'boolean':
      return /^(?:y|yes|true)$/i.test(text) || (/^(?:n|no|false)$/i.test(text) ? false : text);
    default:
      return text;
  }
}

/** Returns the values of choices with this name; without an exact match, those that differ only in case. */
function choicesNamed(choices: readonly Choice[], text: string): unknown[] {
  const lower = text.toLowerCase();
  const namesOf = (choice: Choice) => [choice.title, valueText(choice.value), choiceText(choice)];
  const exact = choices.filter(choice => namesOf(choice).includes(text));
  const named =
    exact.length > 0
      ? exact
      : choices.filter(choice => namesOf(choice).some(name => name.toLowerCase() === lower));
  return different(named.map(({ value }) => value));
}

function different(values: readonly unknown[]): unknown[] {
  return [...new Map(values.map(value => [JSON.stringify(value), value])).values()];
}

function splitList(text: string): string[] {
  return text.split(',').map(part => part.trim());
}

/** Two readings suffice to show that a text is ambiguous. */
const MOST_READINGS = 2;

/** Returns the lists that a text with commas may mean, since choices may contain commas too. */
function typedLists(choices: readonly Choice[], text: string): unknown[] {
  const parts = text.split(',');
  const names = choices.flatMap(choice => [choice.title, choiceText(choice)]);
  const longest = Math.max(0, ...names.map(name => name.split(',').length));
  // lists[at]: the readings of the parts from `at` on.
  const lists: unknown[][][] = [...parts.map(() => []), [[]]];
  for (let at = parts.length - 1; at >= 0; at -= 1) {
    const found: unknown[][] = [];
    for (let end = at + 1; end <= Math.min(parts.length, at + longest); end += 1) {
      const rest = lists[end] ?? [];
      const named = rest.length > 0 ? choicesNamed(choices, parts.slice(at, end).join(',').trim()) : [];
      found.push(...named.flatMap(value => rest.map(others => [value, ...others])));
    }
    lists[at] = different(found).slice(0, MOST_READINGS) as unknown[][];
  }
  const [whole = []] = lists;
  // The schema refuses texts that are not choices.
  return whole.length > 0 ? whole : listsWithOthers(choices, parts);
}

/** Reads a list even if some parts are not choices. */
function listsWithOthers(choices: readonly Choice[], parts: readonly string[]): unknown[] {
  const each = parts.map(part => {
    const named = choicesNamed(choices, part.trim());
    return named.length > 0 ? named.slice(0, MOST_READINGS) : [part.trim()];
  });
  const first = each.map(([value]) => value);
  const unclear = each.findIndex(({ length }) => length > 1);
  return unclear < 0 ? [first] : [first, first.with(unclear, each[unclear]?.[1])];
}
