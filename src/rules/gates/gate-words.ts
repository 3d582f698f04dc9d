/** Reads a person's typed line at a gate, for terminals and command lines. */

import type { JsonSchema } from '../../base/json/json.js';
import { exactJson, isRecord } from '../../base/json/json.js';
import { parseRecord } from '../../base/json/json-in-text.js';
import { readNumber } from '../../base/text/number.js';
import { preview } from '../../base/text/preview.js';
import { escapeUnseen } from '../../base/text/unseen.js';
import { formFields, typedValues } from '../../run/gates/form.js';
import { type Gate, optionAt } from '../../run/gates/gate.js';

/** The input of the updates without `gateId`; `checkAnswer` still checks it. */
export type GateWords = { input: Input } | { error: string };

export function wordsHint(gate: Gate): string {
  switch (gate.kind) {
    case 'approval':
      if (gate.subject.calls)
        return `y approve all · y except 2: reason leaves the second out · n [reason] deny all · a always in this run · w always in this workspace${ALONE}`;
      return `y approve · n [reason] deny · a always in this run · w always in this workspace · e {"…"} approve with these arguments${ALONE}`;
    case 'plan':
      return `y approve · what it should change, to plan anew · e [{"id": …, "description": …}] these tasks instead${ALONE}`;
    case 'question':
      return (gate.subject.options ?? []).length > 0
        ? 'the letter of an option, or another answer'
        : 'type the answer';
    case 'route':
      return `y, or y: reason, approve · n [reason] go on as it is${ALONE}`;
    case 'clientTool':
      return 'the result, as text or JSON';
    case 'budget':
      return `a number above ${gate.subject.limit} to raise it, such as 2500000 or 2.5 · w wrap up`;
    case 'failure':
      return `r retry${gate.subject.models.length > 0 ? ' · m <model> another model' : ''} · s stop${ALONE}`;
    case 'form':
      return formHint(gate.subject.schema);
    case 'step':
      return `s skip${gate.subject.canReplan ? ' · r replan' : ''} · a abort · a reason follows a colon, as in s: not needed`;
  }
}

const ALONE = ' · a word that decides stands alone on its line';

/** A line decides only if the gate's words cover all of it. */
export function answerFromWords(gate: Gate, words: string): GateWords {
  const text = words.trim();
  if (text === '') return { error: `Nothing was typed: ${wordsHint(gate)}` };
  const input = inputFor(gate, text);
  if (input instanceof Unclear) return { error: input.why };
  return input === null
    ? { error: `"${preview(text, LINE_CHARS)}" is none of these, so nothing is decided: ${wordsHint(gate)}` }
    : { input };
}

const LINE_CHARS = 100;

/** Returns `y` or `n` for a line that says only yes or no; null for any other. */
export function yesOrNoOf(line: string): 'y' | 'n' | null {
  const word = line.trim().toLowerCase();
  return YES.includes(word) ? 'y' : NO.includes(word) ? 'n' : null;
}

const YES = ['y', 'yes', 'approve', 'ok', '是', '好'];
const NO = ['n', 'no', 'deny', 'reject', '否', '不'];
const ALWAYS = ['a', 'always'];
const WORKSPACE = ['w', 'workspace'];
const EDIT = ['e', 'edit'];

type Input = Record<string, unknown>;

/** The typed text is ambiguous. */
class Unclear {
  readonly why: string;
  constructor(why: string) {
    this.why = why;
  }
}

interface Word {
  says: readonly string[];
  /**
   * The text that may follow the word: a reason, after a blank or a comma; a remark, only after a colon; a value; JSON.
   * Absent: only a full stop or an exclamation mark.
   */
  behind?: 'reason' | 'remark' | 'value' | 'json';
  /** Null: the following text does not fit. */
  input: (behind: string) => Input | Unclear | null;
}

/** Returns a gate's deciding words. A word that grants or ends something accepts no further text that would be lost. */
function wordsOf(gate: Gate): Word[] {
  const one = (says: readonly string[], input: Input): Word => ({ says, input: () => input });
  const withReason = (says: readonly string[], decision: string, behind: 'reason' | 'remark'): Word => ({
    says,
    behind,
    input: reason => (reason === '' ? { decision } : { decision, reason }),
  });
  switch (gate.kind) {
    case 'approval':
      return [
        gate.subject.calls
          ? { says: YES, behind: 'value', input: exceptInput }
          : one(YES, { decision: 'approve' }),
        withReason(NO, 'deny', 'reason'),
        one(ALWAYS, { decision: 'always' }),
        one(WORKSPACE, { decision: 'always', alwaysFor: 'workspace' }),
        ...(gate.subject.calls ? [] : [editing(value => ({ decision: 'approve', arguments: value }))]),
      ];
    case 'plan':
      return [
        one(YES, { decision: 'approve' }),
        withReason(NO, 'reject', 'reason'),
        editing(value => ({ decision: 'edit', tasks: value })),
      ];
    case 'route':
      return [withReason(YES, 'approve', 'remark'), withReason(NO, 'deny', 'reason')];
    case 'budget':
      return [
        one(['w', 'wrap', 'wrap_up', 'no', 'n'], { decision: 'wrap_up' }),
        { says: ['raise'], behind: 'value', input: budgetInput },
      ];
    case 'failure':
      return [
        one(['r', 'retry'], { decision: 'retry' }),
        one(['s', 'stop'], { decision: 'stop' }),
        {
          says: ['m', 'model', 'other_model'],
          behind: 'value',
          input: model => ({ decision: 'other_model', ...(model !== '' && { model }) }),
        },
      ];
    case 'step':
      return ['skip', 'replan', 'abort'].map(word => withReason([word.charAt(0), word], word, 'remark'));
    case 'form':
      return [
        one([...NO, 'decline'], { decision: 'decline' }),
        one(['c', 'cancel'], { decision: 'cancel' }),
        { says: ['y', 'accept'], behind: 'value', input: typed => formInput(gate.subject.schema, typed) },
        one(YES, { decision: 'accept', content: {} }),
      ];
    case 'question':
    case 'clientTool':
      return [];
  }
}

/** Reads `except 2: reason`, once or several times with semicolons between. */
function exceptInput(text: string): Input | null {
  if (text === '') return { decision: 'approve' };
  const [, list] = /^except\s+(.*)$/is.exec(text) ?? [];
  const parts = list?.split(/[;；]/).map(part => /^(\d+)\s*[:：]\s*(\S.*)$/s.exec(part.trim()));
  if (!parts || parts.includes(null)) return null;
  const except = Object.fromEntries(parts.map(part => [part?.[1] ?? '', part?.[2] ?? '']));
  return { decision: 'approve', except };
}

function editing(make: (value: unknown) => Input): Word {
  return { says: EDIT, behind: 'json', input: text => withJson(text, make) };
}

function inputFor(gate: Gate, text: string): Input | Unclear | null {
  for (const word of wordsOf(gate)) {
    const behind = behindWord(word, text);
    if (behind !== null) return word.input(behind);
  }
  return otherwise(gate, text);
}

/** A word, punctuation that ends it, and the text after it. */
const LINE = /^([^\s,:;.!，：；。！、]+)([,:;.!，：；。！、]*)(\s*)([\s\S]*)$/;

/** Returns the text after the word, '' without any; null if the line does not fit the word. */
function behindWord({ says, behind }: Word, text: string): string | null {
  const [, first = '', signs = '', blank = '', rest = ''] = LINE.exec(text) ?? [];
  if (!says.includes(first.toLowerCase())) return null;
  if (rest === '') return '';
  const colon = /^[:：]$/.test(signs);
  switch (behind) {
    case 'reason':
      return blank !== '' || /[,:;，：；。！、]/.test(signs) ? rest : null;
    case 'remark':
      return colon ? rest : null;
    case 'value':
      return colon || (signs === '' && blank !== '') ? rest : null;
    case 'json':
      return /^[[{]/.test(rest) ? rest : null;
    default:
      return null;
  }
}

/** Interprets a line without any of the words. */
function otherwise(gate: Gate, text: string): Input | null {
  switch (gate.kind) {
    case 'plan':
      return { decision: 'reject', reason: text };
    case 'question':
      return { text: optionAt(gate, text) ?? text };
    case 'clientTool':
      return resultFromWords(text);
    case 'budget':
      return budgetInput(text);
    case 'failure':
      return gate.subject.models.includes(text) ? { decision: 'other_model', model: text } : null;
    case 'form': {
      const content = parseRecord(text);
      return content && { decision: 'accept', content };
    }
    case 'approval':
    case 'route':
    case 'step':
      return null;
  }
}

function formHint(schema: JsonSchema): string {
  const [first, ...others] = formFields(schema);
  const one = first && (others.length > 0 ? '{"field": …} or y {…}' : `y <${first.name}>`);
  return `${one ?? 'y'} accept · n decline · c cancel`;
}

/** Reads all fields as JSON; for a form with one field, its value as typed. */
function formInput(schema: JsonSchema, typed: string): Input | Unclear | null {
  const content = typed === '' ? {} : parseRecord(typed);
  if (content !== null) return { decision: 'accept', content };
  const [field, ...others] = formFields(schema);
  if (field === undefined || others.length > 0) return null;
  const [value, ...more] = typedValues(field, typed);
  if (more.length === 0) return { decision: 'accept', content: { [field.name]: value } };
  const inputs = [value, ...more].map(each => `y ${escapeUnseen(JSON.stringify({ [field.name]: each }))}`);
  return new Unclear(
    `"${preview(typed, LINE_CHARS)}" may mean more than one answer, so nothing is decided. Say which: ${inputs.join(' · ')}`,
  );
}

function withJson(text: string, make: (value: unknown) => Input): Input | null {
  try {
    return make(exactJson(text));
  } catch {
    return null;
  }
}

/**
 * An object with `content` is the complete result. Objects and lists are read as JSON, anything else stays text: a
 * number may have significant zeros.
 */
export function resultFromWords(text: string): Input {
  const record = parseRecord(text);
  if (record !== null && 'content' in record) return record;
  return (
    withJson(text, value => ({ content: isRecord(value) || Array.isArray(value) ? value : text })) ?? {
      content: text,
    }
  );
}

function budgetInput(text: string): Input | null {
  const to = readNumber(text);
  return to === null ? null : { decision: 'raise', to };
}
