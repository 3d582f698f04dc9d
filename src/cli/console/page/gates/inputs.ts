/** From what a person has filled in to what the run's updates take. Pure: the run itself judges it. */
import { fieldValue, formFields } from '../../../../core/gates/form.js';
import { parseRecord } from '../../../../core/outputs/json-in-text.js';
import { exactJson, isRecord } from '../../../../core/text/json.js';
import type { JsonSchema } from '../../../../core/tools/tool.js';

/** What is wrong, by its word in the dictionary; `field`: where. */
export type InputFault = 'faultJson' | 'faultReason' | 'faultNumber' | 'faultEmpty' | 'faultFields';
export type MadeInput = { input: Record<string, unknown> } | { fault: InputFault; field?: string };

/** `edited`: the arguments as text, where they were changed. */
export function approvalInput(
  decision: 'approve' | 'always' | 'workspace' | 'deny',
  { edited, reason }: { edited: string | null; reason: string },
): MadeInput {
  if (decision === 'deny') return { input: { decision, ...reasonOf(reason) } };
  const given = edited === null ? {} : parseRecord(edited.trim());
  if (given === null) return { fault: 'faultJson' };
  const input = edited === null ? {} : { arguments: given };
  if (decision === 'workspace') return { input: { decision: 'always', alwaysFor: 'workspace', ...input } };
  return { input: { decision, ...input } };
}

export function rejectInput(reason: string): MadeInput {
  const text = reason.trim();
  return text === '' ? { fault: 'faultReason' } : { input: { decision: 'reject', reason: text } };
}

export function decisionInput(decision: string, reason = ''): MadeInput {
  return { input: { decision, ...reasonOf(reason) } };
}

export function answerInput(text: string): MadeInput {
  return text.trim() === '' ? { fault: 'faultEmpty' } : { input: { text: text.trim() } };
}

/** `1,500,000` and `1_500_000` are numbers, too. */
export function budgetInput(text: string): MadeInput {
  const to = Number(text.replaceAll(/[\s_,]/g, ''));
  if (text.trim() === '' || !Number.isFinite(to) || to <= 0) return { fault: 'faultNumber' };
  return { input: { decision: 'raise', to } };
}

/** JSON is given as what it says; all else is text. */
export function resultInput(text: string, isError: boolean): MadeInput {
  if (text.trim() === '') return { fault: 'faultEmpty' };
  return { input: { content: jsonOr(text), ...(isError && { isError }) } };
}

function jsonOr(text: string): unknown {
  try {
    const value: unknown = exactJson(text);
    return isRecord(value) || Array.isArray(value) ? value : text;
  } catch {
    return text;
  }
}

/** What each field has, as text; a list of choices: those that are chosen. Empty: not given. */
export type FieldValues = Readonly<Record<string, string | readonly string[]>>;

export function formInput(schema: JsonSchema, values: FieldValues): MadeInput {
  const content: Record<string, unknown> = {};
  for (const field of formFields(schema)) {
    const value = values[field.name] ?? '';
    if (value.length === 0) {
      if (field.required && field.type !== 'array') return { fault: 'faultFields', field: field.name };
      continue;
    }
    content[field.name] =
      typeof value === 'string' ? fieldValue(field, value) : value.map(each => choiceOf(field, each));
  }
  return { input: { decision: 'accept', content } };
}

function choiceOf(
  { choices }: Pick<ReturnType<typeof formFields>[number], 'choices'>,
  text: string,
): unknown {
  return fieldValue({ type: 'string', choices }, text);
}

/** What a field has before anybody fills it in: its default. */
export function firstValues(schema: JsonSchema): Record<string, string | string[]> {
  const properties = isRecord(schema.properties) ? schema.properties : {};
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, field]) => {
      const value = isRecord(field) ? field.default : undefined;
      if (value === undefined) return [];
      return [[name, Array.isArray(value) ? value.map(String) : String(value)]];
    }),
  );
}

function reasonOf(reason: string): { reason?: string } {
  return reason.trim() === '' ? {} : { reason: reason.trim() };
}
