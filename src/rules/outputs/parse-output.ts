/**
 * Parses role output: finds the JSON tolerantly, then reads it by its contract, in either dialect. Uses only
 * `JSON.parse` and guards, so that a library update can't change a replay. Completion is read from fields, never from
 * words (F6).
 */

import { isRecord, stringOr } from '../../base/json/json.js';
import { parseRecord } from '../../base/json/json-in-text.js';
import { boundedText } from '../../base/text/fit.js';
import { expected, isAbsent, type Parsed, quoted } from '../../base/text/output-fields.js';
import { BUILT_IN_WORDS, fill, type Words } from '../../base/words/words.js';
import type { FormedContract, OutputContract, OutputOf } from '../../run/outputs/contracts.js';
import { CONTRACTS, OUTPUT_CONTRACTS } from '../../run/outputs/contracts.js';
import type { Dialect } from '../../run/outputs/envelope.js';
import {
  type EnvelopeMeta,
  envelopeFields,
  extractJson,
  NO_ENVELOPE,
  readMeta,
} from '../../run/outputs/envelope.js';
import { constant, type Fields, formOfFields, oneOf, orNull, word } from '../../run/outputs/fields.js';
import { ENVELOPE_FIELDS, isEnvelope } from '../../run/outputs/role-form.js';
import { readSpecial, SPECIALS, type SpecialOutput, specialText } from '../../run/outputs/special-output.js';
import { type Known, readOutput } from './rules.js';

/** A role's parsed reply: its typed output with its envelope, or a special reply if it can't go on. */
export type RoleReply<T> = Parsed<T> & {
  /** `NO_ENVELOPE` for the component dialect. */
  envelope: EnvelopeMeta;
  /** Set if the role asks, reports an error or escalates; there is then no value. */
  special: SpecialOutput | null;
};

export interface ReadOptions extends Known {
  /** The role's dialect. JSON is read in either dialect; in free text, envelopes are looked for only in `envelope`. */
  dialect?: Dialect;
}

/**
 * Reads a role's final reply by its contract, in either dialect. Faults of only the envelope are doubts: after the
 * re-ask, the output counts anyway.
 */
export function parseRoleOutput<C extends OutputContract>(
  contract: C,
  text: string,
  options: ReadOptions = {},
): RoleReply<OutputOf[C]> {
  // The compiler does not know that a contract's reader returns the contract's output.
  if (contract === 'text') return readText(text, options) as RoleReply<OutputOf[C]>;
  const formed = contract as FormedContract & C;
  const json = extractJson(text);
  if (json === null) {
    const got = text.trim() === '' ? 'nothing' : `text that begins with "${quoted(text)}"`;
    return notRead(`The reply must be one complete, valid JSON object, got ${got}.`);
  }
  const special = readSpecial(json);
  if (special !== null) return specialReply(special, json);
  if (!isEnvelope(json)) {
    const other = otherFormError(formed, json);
    const read: Parsed<OutputOf[C]> = other ? failedBy([other]) : readOutput(formed, json, options);
    return { ...read, envelope: NO_ENVELOPE, special };
  }
  const { meta, errors } = readMeta(json);
  const metaFields = { envelope: meta, special };
  if (!isRecord(json.params)) return { ...failedBy(errors), ...metaFields };
  const misplaced =
    otherFormError(formed, json, json.params) ??
    (contract === 'execution' ? strayToolError(json.params, meta.action) : null);
  if (misplaced !== null) return { ...failedBy([...errors, misplaced]), ...metaFields };
  const inner = readOutput(formed, fieldsOf(contract, json.params, json.action), options);
  const all = [...errors, ...(inner.ok ? [] : inner.errors.map(inParams))];
  const read: Parsed<OutputOf[C]> =
    all.length === 0 && inner.ok ? inner : { ok: false, errors: all, value: inner.value };
  return { ...read, ...metaFields };
}

function failedBy(errors: string[]): Parsed<never> {
  return { ok: false, errors, value: null };
}

function notRead(error: string): RoleReply<never> {
  return { ...failedBy([error]), envelope: NO_ENVELOPE, special: null };
}

function specialReply(special: SpecialOutput, json: Record<string, unknown>): RoleReply<never> {
  const envelope = isEnvelope(json) ? readMeta(json).meta : NO_ENVELOPE;
  return { ...failedBy([specialText(special, BUILT_IN_WORDS.en)]), envelope, special };
}

/** Reads free text, or the answer in an envelope. */
function readText(text: string, { dialect }: ReadOptions): RoleReply<string> {
  const json = dialect === 'envelope' ? extractJson(text) : wholeEnvelope(text);
  if (json !== null) {
    const special = readSpecial(json);
    if (special !== null) return specialReply(special, json);
    const envelope = isEnvelope(json) ? readMeta(json).meta : NO_ENVELOPE;
    const value = answerIn(json);
    if (value !== null) return { ok: true, value, envelope, special: null };
    if (envelope !== NO_ENVELOPE)
      return { ...failedBy([expected('params.text', 'the answer', json.params)]), envelope, special: null };
  }
  const value = text.trim();
  if (value === '') return notRead('The reply must hold a text, got nothing.');
  return { ok: true, value, envelope: NO_ENVELOPE, special: null };
}

/** Returns a reply that is only an envelope, although its role answers in plain text. Other JSON may be the answer. */
function wholeEnvelope(text: string): Record<string, unknown> | null {
  const json = parseRecord(text.trim().replace(/^`{3}\w*\s|`{3}$/g, ''));
  if (json === null) return null;
  const isWhole = ENVELOPE_FIELDS.every(field => !isAbsent(json[field]));
  return isWhole || (isRecord(json.params) && readSpecial(json) !== null) ? json : null;
}

/** The fields of an envelope that may contain the answer, in order; the last resort is the message to the user. */
const ANSWER_FIELDS = ['text', 'answer', 'content', 'summary'] as const;

function answerIn({ params, userMessage }: Record<string, unknown>): string | null {
  const fields = isRecord(params) ? params : {};
  const candidates = [...ANSWER_FIELDS.map(name => fields[name]), userMessage];
  return candidates.map(each => stringOr(each, '').trim()).find(each => each !== '') ?? null;
}

const EXECUTION_FIELDS = Object.keys(CONTRACTS.execution.actions.COMPLETE);

/** Returns the fault of an executor's envelope that is neither a result nor an offered tool's call. */
function strayToolError(params: Record<string, unknown>, action: string | null): string | null {
  if (action === null || action === 'COMPLETE' || EXECUTION_FIELDS.some(field => !isAbsent(params[field])))
    return null;
  return expected('action', 'COMPLETE or the exact name of an offered tool', action);
}

/** Returns the fields for the contract's reader: `params`, with `action` if it is meaningful. */
function fieldsOf(
  contract: OutputContract,
  params: Record<string, unknown>,
  action: unknown,
): Record<string, unknown> {
  if (contract === 'orchestration') return { ...params, action };
  if (contract !== 'execution' || action !== 'COMPLETE') return params;
  const undecided = isAbsent(params.taskCompleted) && isAbsent(params.nextAction);
  return undecided ? { ...params, nextAction: 'complete' } : params;
}

/** Moves the field name of an error below `params`. */
function inParams(error: string): string {
  return error.startsWith('`') ? `\`params.${error.slice(1)}` : error;
}

const MOST_ERRORS_NAMED = 10;

/** Returns the message that asks a role once to correct its output: the errors, then the expected form in brief. */
export function reaskText(
  contract: OutputContract,
  errors: readonly string[],
  dialect: Dialect = CONTRACTS[contract].dialect,
  words: Words = BUILT_IN_WORDS.en,
): string {
  const named = errors.slice(0, MOST_ERRORS_NAMED).map(error => `- ${boundedText(error)}`);
  if (errors.length > named.length)
    named.push(`- ${fill(words.moreFaults, { count: errors.length - named.length })}`);
  const form = contract === 'text' ? words.reaskText : `${words.reaskForm}\n${formOf(contract, dialect)}`;
  return `${words.reask}\n${named.join('\n')}\n\n${form}`;
}

/** Returns the message to a role with tools whose reply was empty: its work may be unfinished. */
export function silentText(contract: OutputContract, dialect: Dialect, words: Words): string {
  return contract === 'text' ? words.reaskEmpty : `${words.reaskEmptyForm}\n${formOf(contract, dialect)}`;
}

/**
 * Returns the error of JSON in another contract's form, or null: an executor that writes a plan has not reported.
 * `params` are the fields, if they are not the JSON itself.
 */
function otherFormError(
  contract: FormedContract,
  json: Record<string, unknown>,
  params: Record<string, unknown> = json,
): string | null {
  const own = CONTRACTS[contract];
  const others = OUTPUT_CONTRACTS.filter(other => other !== 'text' && other !== contract);
  if (others.some(other => json.component === CONTRACTS[other].component))
    return expected('component', own.component, json.component);
  const action = soleAction(contract);
  const isOthers = others.some(other => json.action === (soleAction(other) ?? Symbol('none')));
  if (isOthers && params !== json) return expected('action', action ?? 'your own', json.action);
  if (!isAbsent(params[own.mark]) || json.component === own.component) return null;
  const marked = others.find(other => !isAbsent(params[CONTRACTS[other].mark]));
  return marked ? `The reply has the form of a ${marked}, which is not asked for here.` : null;
}

/** Returns the only value of `action`, or null if a role has a choice. */
function soleAction(contract: OutputContract): string | null {
  const [only = null, ...more] = Object.keys(CONTRACTS[contract].actions);
  return more.length === 0 ? only : null;
}

/** Returns the form of a contract's JSON in a dialect, on one line, for re-asks. */
export function formOf(contract: FormedContract, dialect: Dialect): string {
  return `{ ${formOfFields(fieldsInDialect(contract, dialect, {}))} }`;
}

/** Returns the fields of a contract's JSON. `specials` may replace them if a role can't go on. */
export function fieldsInDialect(
  contract: FormedContract,
  dialect: Dialect,
  specials: Readonly<Record<string, Fields>> = SPECIALS,
): Fields {
  const { component, actions } = CONTRACTS[contract];
  if (dialect === 'envelope') {
    const action = word([...Object.keys(actions), ...Object.keys(specials)]);
    const orTool = contract === 'execution' ? ', or the name of a tool with its arguments as params' : '';
    return envelopeFields({ ...action, form: action.form + orTool }, oneOf({ ...actions, ...specials }));
  }
  const own = { type: constant('component'), component: constant(component), ...flatFields(contract) };
  if (contract === 'orchestration' || specials !== SPECIALS) return own;
  const asking = word(Object.keys(specials), {
    optional: true,
    about: 'null, but where the role cannot go on',
  });
  return { ...own, action: asking, params: orNull(oneOf(specials), 'else null') };
}

/** Returns the fields without an envelope. If actions differ, all their fields are listed: those of other actions are null. */
export function flatFields(contract: FormedContract): Fields {
  const actions: Readonly<Record<string, Fields>> = CONTRACTS[contract].actions;
  const each = Object.entries(actions);
  const isShared = (name: string) => each.every(([, fields]) => name in fields);
  const flat = each.flatMap(([action, fields]) =>
    Object.entries(fields).map(([name, field]) => [
      name,
      isShared(name) ? field : orNull(field, `for ${action}`),
    ]),
  );
  const choice = each.length > 1 ? { action: word(Object.keys(actions)) } : {};
  return { ...choice, ...Object.fromEntries(flat) };
}
