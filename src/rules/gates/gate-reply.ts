/** From what a person typed or clicked at a gate to the answer that the run's updates take. Pure: the run judges it. */

import { isRecord, ownValue } from '../../base/json/json.js';
import { parseRecord } from '../../base/json/json-in-text.js';
import { NUMBER_HINT, readNumber } from '../../base/text/number.js';
import { fieldValue, formFields, valueText } from '../../run/gates/form.js';
import type { Gate } from '../../run/gates/gate.js';
import { answerFromWords, resultFromWords } from './gate-words.js';

/** What each field of a form has, as text; a list of choices: those that are chosen. Empty: not given. */
export type FieldValues = Readonly<Record<string, string | readonly string[]>>;

/** What a person gave. A `Chosen` is a button with what stands in the fields beside it. */
export type Given =
  /** Typed where the gate was shown with its hint, and its options with their letters. */
  | { line: string }
  /** The text of a field of its own, or of the option that was clicked. */
  | { text: string }
  | { result: string; isError?: boolean }
  /** A result as it is. */
  | { content: unknown; isError?: boolean }
  | Chosen;

export interface Chosen {
  decision: string;
  alwaysFor?: 'run' | 'workspace';
  reason?: string;
  /** A text is JSON that a person edited. */
  arguments?: string | Record<string, unknown>;
  tasks?: readonly object[];
  shown?: readonly string[];
  to?: string | number;
  model?: string;
  fields?: FieldValues;
  /** Of a form: its fields as they are. */
  content?: unknown;
}

/** What is wrong, by its word in the dictionaries of pages. */
export type ReplyFault =
  | 'faultJson'
  | 'faultReason'
  | 'faultNumber'
  | 'faultEmpty'
  | 'faultFields'
  | 'faultWords';

/** `field`: of a form, where it has the fault. `error`: in English. */
export type Reply = { input: Record<string, unknown> } | { fault: ReplyFault; error: string; field?: string };

/**
 * WB3. The answer to this gate, as it was seen: a gate that shows something else has another id. Every face composes
 * answers here. A number that was typed is what was said; letters mean options where the person was shown them.
 */
export function replyTo(gate: Gate, given: Given): Reply {
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
        ? { fault: 'faultNumber', error: `The new limit is no number above 0. ${NUMBER_HINT}` }
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

function approvalInput(input: object, { arguments: edited, alwaysFor }: Chosen): Reply {
  const args = typeof edited === 'string' ? parseRecord(edited.trim()) : edited;
  if (args === null) return { fault: 'faultJson', error: 'The arguments are no JSON object.' };
  return { input: { ...input, ...(args && { arguments: args }), ...(alwaysFor && { alwaysFor }) } };
}

function formInput(schema: Parameters<typeof formFields>[0], values: FieldValues): Reply {
  const content = new Map<string, unknown>();
  for (const field of formFields(schema)) {
    const { name, required, type } = field;
    const value = ownValue(values, name) ?? '';
    if (value.length === 0) {
      if (required && type !== 'array')
        return { fault: 'faultFields', field: name, error: `The field ${name} is needed.` };
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
 * What the fields of a form have before anybody fills them in: their defaults, but for one that is none of the choices,
 * which nobody would see.
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
