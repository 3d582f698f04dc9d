/** Replies by which a role says that it can not go on (F17, G12, E5). */

import { isRecord, ownValue, stringOr } from '../../base/json/json.js';
import { fill, type WordKey, type Words } from '../../base/words/words.js';
import { text, word } from './fields.js';

export const ERROR_TYPES = ['parse_error', 'context_missing', 'tool_unavailable'] as const;
type ErrorType = (typeof ERROR_TYPES)[number];

/** By `action`, what stands in `params`. */
const trouble = { errorType: word(ERROR_TYPES), message: text(), suggestion: text() };
export const SPECIALS = {
  CLARIFICATION_REQUIRED: { question: text({ about: 'for the person' }) },
  ERROR: trouble,
  ESCALATE: trouble,
};

/** A role that can not go on: it asks the user, it reports an error, or it wants a person to decide. */
export type SpecialOutput =
  | { kind: 'clarification'; question: string }
  | {
      kind: 'error' | 'escalate';
      /** Null where the role names none of the three. */
      errorType: ErrorType | null;
      message: string;
      /** Of the role: empty where it has none. */
      suggestion: string;
    };

const KINDS: Readonly<Record<string, SpecialOutput['kind']>> = {
  CLARIFICATION_REQUIRED: 'clarification',
  ERROR: 'error',
  ESCALATE: 'escalate',
};

/** What to do about each type of error, where nobody said. */
const SUGGESTIONS = {
  parse_error: 'suggestParseError',
  context_missing: 'suggestContextMissing',
  tool_unavailable: 'suggestToolUnavailable',
} as const satisfies Record<ErrorType, WordKey>;

/**
 * The special reply that JSON of either dialect is, or null. It is taken even when other fields of the
 * envelope are missing: a role in trouble need not be asked for its form. An action without any text in
 * its parameters is null, for there is nothing to show.
 */
export function readSpecial(json: Record<string, unknown>): SpecialOutput | null {
  const kind = ownValue(KINDS, stringOr(json.action, '').trim());
  if (kind === undefined) return null;
  const params = isRecord(json.params) ? json.params : json;
  const own = kind === 'clarification' ? [params.question, params.message] : [params.message, params.reason];
  const message = firstText(...own, json.userMessage, json.thought);
  if (message === '') return null;
  if (kind === 'clarification') return { kind, question: message };
  const errorType = ERROR_TYPES.find(type => type === params.errorType) ?? null;
  return { kind, errorType, message, suggestion: firstText(params.suggestion) };
}

function firstText(...values: unknown[]): string {
  return values.map(value => stringOr(value, '').trim()).find(said => said !== '') ?? '';
}

/** What a person is asked for it. */
export function questionText(special: SpecialOutput, words: Words): string {
  return special.kind === 'clarification' ? special.question : specialText(special, words);
}

/** One sentence on a special reply, for journals and for callers that only know errors. */
export function specialText(special: SpecialOutput, words: Words): string {
  if (special.kind === 'clarification') return fill(words.roleAsks, { question: special.question });
  const { kind, message, errorType } = special;
  const said = fill(kind === 'error' ? words.roleStops : words.roleEscalates, { message });
  const suggestion = special.suggestion || (errorType ? words[SUGGESTIONS[errorType]] : '');
  return [said, suggestion].filter(part => part !== '').join(' ');
}
