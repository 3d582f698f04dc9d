/** Replies in which a role says that it can't go on (F17, G12, E5). */

import { isRecord, ownValue, stringOr } from '../../base/json/json.js';
import { fill, type WordKey, type Words } from '../../base/words/words.js';
import { text, word } from './fields.js';

export const ERROR_TYPES = ['parse_error', 'context_missing', 'tool_unavailable'] as const;
type ErrorType = (typeof ERROR_TYPES)[number];

/** The fields of `params` by `action`. */
const trouble = { errorType: word(ERROR_TYPES), message: text(), suggestion: text() };
export const SPECIALS = {
  CLARIFICATION_REQUIRED: { question: text({ about: 'for the person' }) },
  ERROR: trouble,
  ESCALATE: trouble,
};

/** A role that can't go on: it asks the user, reports an error, or wants a person's decision. */
export type SpecialOutput =
  | { kind: 'clarification'; question: string }
  | {
      kind: 'error' | 'escalate';
      /** Null if the role named no valid type. */
      errorType: ErrorType | null;
      message: string;
      /** The role's own suggestion; '' without one. */
      suggestion: string;
    };

const KINDS: Readonly<Record<string, SpecialOutput['kind']>> = {
  CLARIFICATION_REQUIRED: 'clarification',
  ERROR: 'error',
  ESCALATE: 'escalate',
};

/** The default suggestion for each type of error. */
const SUGGESTIONS = {
  parse_error: 'suggestParseError',
  context_missing: 'suggestContextMissing',
  tool_unavailable: 'suggestToolUnavailable',
} as const satisfies Record<ErrorType, WordKey>;

/**
 * Returns the special reply in JSON of either dialect, or null. The envelope's other fields may be missing, so that a
 * role that can't go on is heard in any form. An action needs a text to show; without one the result is null.
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

/** Returns the question to a person about it. */
export function questionText(special: SpecialOutput, words: Words): string {
  return special.kind === 'clarification' ? special.question : specialText(special, words);
}

/** Returns one sentence on a special reply, for journals and callers that only handle errors. */
export function specialText(special: SpecialOutput, words: Words): string {
  if (special.kind === 'clarification') return fill(words.roleAsks, { question: special.question });
  const { kind, message, errorType } = special;
  const sentence = fill(kind === 'error' ? words.roleStops : words.roleEscalates, { message });
  const suggestion = special.suggestion || (errorType ? words[SUGGESTIONS[errorType]] : '');
  return [sentence, suggestion].filter(part => part !== '').join(' ');
}
