/** Reads what a person types at a gate: for terminals and command lines. */

import { readNumber } from '../limits/number.js';
import { parseRecord } from '../outputs/json-in-text.js';
import { exactJson, isRecord } from '../text/json.js';
import type { JsonSchema } from '../tools/tool.js';
import { fieldValue, formFields } from './form.js';
import { type Gate, optionAt } from './gate.js';

/** What the updates take, without `gateId`: `checkAnswer` still judges it. */
export type GateWords = { input: Record<string, unknown> } | { error: string };

export function wordsHint(gate: Gate): string {
  switch (gate.kind) {
    case 'approval':
      return 'y approve · n [reason] deny · a always in this run · w always in this workspace · e {"…"} approve with these arguments';
    case 'plan':
      return 'y approve · what it should change, to plan anew · e [{"id": …, "description": …}] these tasks instead';
    case 'question':
      return (gate.subject.options ?? []).length > 0
        ? 'the letter of an option, or another answer'
        : 'type the answer';
    case 'route':
      return 'y approve · n [reason] go on as it is';
    case 'clientTool':
      return 'the result, as text or JSON';
    case 'budget':
      return `a number above ${gate.subject.limit} to raise it, such as 2500000 or 2.5 · w wrap up`;
    case 'failure':
      return `r retry${gate.subject.models.length > 0 ? ' · m <model> another model' : ''} · s stop`;
    case 'form':
      return formHint(gate.subject.schema);
    case 'step':
      return `s skip${gate.subject.canReplan ? ' · r replan' : ''} · a abort, each with a reason if there is one`;
  }
}

export function answerFromWords(gate: Gate, words: string): GateWords {
  const text = words.trim();
  const [first = ''] = text.split(/\s/, 1);
  const word = first.toLowerCase();
  const rest = text.slice(first.length).trim();
  if (text === '') return { error: `Nothing was typed: ${wordsHint(gate)}` };
  const input = inputFor(gate, { text, word, rest });
  return input === null ? { error: `"${first}" is none of these: ${wordsHint(gate)}` } : { input };
}

/** `y` or `n` for a line that says yes or no and nothing else; null for any other. */
export function yesOrNoOf(line: string): 'y' | 'n' | null {
  const word = line.trim().toLowerCase();
  return YES.includes(word) ? 'y' : NO.includes(word) ? 'n' : null;
}

interface Words {
  text: string;
  word: string;
  rest: string;
}

const YES = ['y', 'yes', 'approve', 'ok', '是', '好'];
const NO = ['n', 'no', 'deny', 'reject', '否', '不'];
const ALWAYS = ['a', 'always'];
const WORKSPACE = ['w', 'workspace'];
const EDIT = ['e', 'edit'];

function inputFor(gate: Gate, words: Words): Record<string, unknown> | null {
  const { text, word, rest } = words;
  switch (gate.kind) {
    case 'approval':
      if (ALWAYS.includes(word)) return { decision: 'always' };
      if (WORKSPACE.includes(word)) return { decision: 'always', alwaysFor: 'workspace' };
      if (EDIT.includes(word)) return withJson(rest, value => ({ decision: 'approve', arguments: value }));
      return yesOrNo(words, 'deny');
    case 'plan':
      if (EDIT.includes(word) && /^[[{]|^$/.test(rest))
        return withJson(rest, value => ({ decision: 'edit', tasks: value }));
      // Whatever else is said of a plan is what it should change.
      return yesOrNo(words, 'reject') ?? { decision: 'reject', reason: text };
    case 'question':
      return { text: optionAt(gate, text) ?? text };
    case 'route':
      return yesOrNo(words, 'deny');
    case 'clientTool':
      return resultFromWords(text);
    case 'budget':
      if (['w', 'wrap', 'wrap_up', 'no', 'n'].includes(word)) return { decision: 'wrap_up' };
      return budgetInput(word === 'raise' ? rest : text);
    case 'failure':
      if (['r', 'retry'].includes(word)) return { decision: 'retry' };
      if (['s', 'stop'].includes(word)) return { decision: 'stop' };
      if (['m', 'model', 'other_model'].includes(word))
        return rest === '' ? { decision: 'other_model' } : { decision: 'other_model', model: rest };
      return gate.subject.models.includes(text) ? { decision: 'other_model', model: text } : null;
    case 'form':
      return formInput(gate.subject.schema, words);
    case 'step':
      return stepInput(words);
  }
}

function formHint(schema: JsonSchema): string {
  const [first, ...others] = formFields(schema);
  const accept = first === undefined || others.length > 0 ? '{"field": …} or y {…}' : `y <${first.name}>`;
  return `${first === undefined ? 'y' : accept} accept · n decline · c cancel`;
}

/** All fields as JSON; of a form with one field, its value as it is typed after y. */
function formInput(schema: JsonSchema, { text, word, rest }: Words): Record<string, unknown> | null {
  if (NO.includes(word) || word === 'decline') return { decision: 'decline' };
  if (word === 'c' || word === 'cancel') return { decision: 'cancel' };
  const accepts = YES.includes(word) || word === 'accept';
  const typed = accepts ? rest : text;
  if (accepts && typed === '') return { decision: 'accept', content: {} };
  const record = parseRecord(typed);
  if (record !== null) return { decision: 'accept', content: record };
  const [field, ...others] = formFields(schema);
  if (!accepts || field === undefined || others.length > 0) return null;
  return { decision: 'accept', content: { [field.name]: fieldValue(field, typed) } };
}

function stepInput({ word, rest }: Words): Record<string, unknown> | null {
  const decision = ['skip', 'replan', 'abort'].find(choice => choice === word || choice[0] === word);
  return decision === undefined ? null : withReason(decision, rest);
}

function withReason(decision: string, reason: string): Record<string, unknown> {
  return reason === '' ? { decision } : { decision, reason };
}

function yesOrNo({ word, rest }: Words, no: 'deny' | 'reject'): Record<string, unknown> | null {
  if (YES.includes(word)) return { decision: 'approve' };
  if (!NO.includes(word)) return null;
  return withReason(no, rest);
}

function withJson(
  text: string,
  make: (value: unknown) => Record<string, unknown>,
): Record<string, unknown> | null {
  try {
    return make(exactJson(text));
  } catch {
    return null;
  }
}

/**
 * An object with `content` is the result with all it says. Objects and lists are given as JSON, all else as the text that
 * was typed: a number may have zeros that count.
 */
export function resultFromWords(text: string): Record<string, unknown> {
  const record = parseRecord(text);
  if (record !== null && 'content' in record) return record;
  return (
    withJson(text, value => ({ content: isRecord(value) || Array.isArray(value) ? value : text })) ?? {
      content: text,
    }
  );
}

function budgetInput(text: string): Record<string, unknown> | null {
  const to = readNumber(text);
  return to === null ? null : { decision: 'raise', to };
}
