/** Converts a person's input at a gate to the answer for the run's updates. Pure: the run checks it. */

import { isRecord, ownValue } from '../../base/json/json.js';
import { parseRecord } from '../../base/json/json-in-text.js';
import { NUMBER_HINT, readNumber } from '../../base/text/number.js';
import { fieldValue, formFields, valueText } from '../../run/gates/form.js';
import type { Gate } from '../../run/gates/gate.js';
import { answerFromWords, resultFromWords } from './gate-words.js';

/** The text of each form field; for a list of choices, the chosen ones. Empty: not set. */
export type FieldValues = Readonly<Record<string, string | readonly string[]>>;

/** A person's input. A `Chosen` is a button with the values of the fields next to it. */
export type PersonInput =
  /** A line typed at a gate that was shown with its hint, and its options with their letters. */
  | { line: string }
  /** The text of an answer field, or of the option that was clicked. */
  | { text: string }
  | { result: string; isError?: boolean }
  /** A result in its final form. */
  | { content: unknown; isError?: boolean }
  | Chosen;

export interface Chosen {
  decision: string;
  alwaysFor?: 'run' | 'workspace';
  reason?: string;
  /** A string is JSON that a person edited. */
  arguments?: string | Record<string, unknown>;
  /** Changes of a gate of several that are left out, by number or call, each with a reason. */
  except?: Readonly<Record<string, string>>;
  tasks?: readonly object[];
  shown?: readonly string[];
  to?: string | number;
  model?: string;
  fields?: FieldValues;
  /** The fields of a form in their final form. */
  content?: unknown;
}

/** The fault, by its key in the dictionaries of pages. */
export type ReplyFault =
  | 'faultJson'
  | 'faultReason'
  | 'faultNumber'
  | 'faultEmpty'
  | 'faultFields'
  | 'faultWords';

/** `field`: the form's field with the fault. `error` is in English. */
export type Reply = { input: Record<string, unknown> } | { fault: ReplyFault; error: string; field?: string };

/**
 * WB3. Returns the answer to this gate, as it was seen: a gate with other content has another id. Every user interface
 * composes answers here. A typed number is a plain answer; letters mean options if the person saw them.
 */
export function replyTo(gate: Gate, given: PersonInput): Reply {
  if ('decision' in given) return chosenInput(gate, given);
  if ('line' in given) {
    const read = answerFromWords(gate, given.line);
    return 'input' in read ? read : { fault: 'faultWords', error: read.error };
  }
  if ('text' in given) return given.text.trim() === '' ? EMPTY : { input: { text: given.text.trim() } };
  if ('result' in given) {
    if (given.result.trim() === '') return EMPTY;
    return { input: { ...resultFromWords(given.result), ...(given.isError && { isError: true }) } };
  }
  const { content, isError } = given;
  return { input: { content, ...(isError !== undefined && { isError }) } };
}

const EMPTY: Reply = { fault: 'faultEmpty', error: 'Nothing was given.' };

function chosenInput(gate: Gate, given: Chosen): Reply {
  const decision = given.decision === 'deny' && gate.kind === 'plan' ? 'reject' : given.decision;
  const reason = given.reason?.trim() ?? '';
  const input = { decision, ...(reason !== '' && { reason }) };
  switch (decision) {
    case 'reject':
      return reason === ''
        ? { fault: 'faultReason', error: 'Say what the plan should change: the planner reads it.' }
        : { input };
    case 'raise': {
      const to = typeof given.to === 'number' ? given.to : readNumber(given.to ?? '');
      return to === null || to <= 0
        ? { fault: 'faultNumber', error: `The new limit is not a number above 0. ${NUMBER_HINT}` }
        : { input: { ...input, to } };
    }
    case 'other_model':
      return { input: { ...input, ...(given.model !== undefined && { model: given.model }) } };
    case 'edit': {
      const { tasks, shown } = given;
      return { input: { ...input, ...(tasks && { tasks }), ...(shown && { shown }) } };
    }
    case 'approve':
    case 'always':
      return approvalInput(input, given);
    case 'accept':
      if (gate.kind === 'form' && given.fields) return formInput(gate.subject.schema, given.fields);
      return { input: { ...input, ...(given.content !== undefined && { content: given.content }) } };
    default:
      return { input };
  }
}

function approvalInput(input: object, { arguments: edited, alwaysFor, except }: Chosen): Reply {
  const args = typeof edited === 'string' ? parseRecord(edited.trim()) : edited;
  if (args === null) return { fault: 'faultJson', error: 'The arguments are not a JSON object.' };
  const more = {
    ...(args && { arguments: args }),
    ...(alwaysFor && { alwaysFor }),
    ...(except && { except }),
  };
  return { input: { ...input, ...more } };
}

function formInput(schema: Parameters<typeof formFields>[0], values: FieldValues): Reply {
  const content = new Map<string, unknown>();
  const first = firstValues(schema);
  for (const field of formFields(schema)) {
    const { name, required, type } = field;
    const value = ownValue(values, name) ?? '';
    if (value.length === 0) {
      if (required && type !== 'array')
        return { fault: 'faultFields', field: name, error: `The field ${name} is needed.` };
      // An absent field gets its default (SU2), so a text or list that a person has emptied is sent as such.
      const isEmptied = Object.hasOwn(values, name) && Object.hasOwn(first, name);
      if (isEmptied && type === 'array') content.set(name, []);
      if (isEmptied && type === 'string' && field.choices.length === 0) content.set(name, '');
      continue;
    }
    content.set(
      name,
      typeof value === 'string'
        ? fieldValue(field, value)
        : value.map(each => fieldValue({ ...field, type: 'string' }, each)),
    );
  }
  return { input: { decision: 'accept', content: Object.fromEntries(content) } };
}

/**
 * Returns the initial values of a form's fields: their defaults, except those that are not among the choices, as these
 * would be invisible.
 */
export function firstValues(schema: Parameters<typeof formFields>[0]): Record<string, string | string[]> {
  const properties = isRecord(schema.properties) ? schema.properties : {};
  const first = formFields(schema).flatMap(({ name, type, choices }): [string, string | string[]][] => {
    const field = ownValue(properties, name);
    const value = isRecord(field) ? field.default : undefined;
    if (value === undefined) return [];
    const shown = type === 'boolean' ? ['true', 'false'] : choices.map(choice => valueText(choice.value));
    const isShown = (text: string) => shown.length === 0 || shown.includes(text);
    if (Array.isArray(value)) return [[name, value.map(valueText).filter(isShown)]];
    return isShown(valueText(value)) ? [[name, valueText(value)]] : [];
  });
  return Object.fromEntries(first);
}
