/**
 * Parses role output: finds the JSON tolerantly, then reads it by its contract, in either dialect.
 * Only `JSON.parse` and guards, so that a library update can't change a replay. Completion is read from
 * fields, never from words (F6).
 */

import { isRecord, stringOr } from '../../base/json/json.js';
import { parseRecord } from '../../base/json/json-in-text.js';
import { told } from '../../base/text/fit.js';
import { expected, isAbsent, type Parsed, quoted } from '../../base/text/output-fields.js';
import { BUILT_IN_WORDS, fill, type Words } from '../../base/words/words.js';
import type { FormedContract, OutputContract, OutputOf } from '../../run/outputs/contracts.js';
import { CONTRACTS, OUTPUT_CONTRACTS } from '../../run/outputs/contracts.js';
import type { Dialect } from '../../run/outputs/envelope.js';
import {
  ENVELOPE_FIELDS,
  type EnvelopeMeta,
  envelopeFields,
  extractJson,
  isEnvelope,
  NO_ENVELOPE,
  readMeta,
} from '../../run/outputs/envelope.js';
import { constant, type Fields, formOfFields, oneOf, orNull, word } from '../../run/outputs/fields.js';
import { readSpecial, SPECIALS, type SpecialOutput, specialText } from '../../run/outputs/special-output.js';
import { type Known, readOutput } from './rules.js';

/** A role's reply, read: its typed output, and beside it what its envelope says, or that it can not go on. */
export type RoleReply<T> = Parsed<T> & {
  /** `NO_ENVELOPE` for the component dialect. */
  envelope: EnvelopeMeta;
  /** Set where the role asks, reports an error or escalates: then there is no value. */
  special: SpecialOutput | null;
};

export interface ReadOptions extends Known {
  /** The role's dialect. JSON is read in either; free text is taken for an envelope only in that dialect. */
  dialect?: Dialect;
}

/**
 * Reads a role's final reply by its contract, in either dialect. Faults of the envelope alone are doubts: after the
 * re-ask its output counts anyway.
 */
export function parseRoleOutput<C extends OutputContract>(
  contract: C,
  text: string,
  options: ReadOptions = {},
): RoleReply<OutputOf[C]> {
  // The compiler does not see that the contract's own reader gives the contract's own output.
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
  const said = { envelope: meta, special };
  if (!isRecord(json.params)) return { ...failedBy(errors), ...said };
  const misplaced =
    otherFormError(formed, json, json.params) ??
    (contract === 'execution' ? strayToolError(json.params, meta.action) : null);
  if (misplaced !== null) return { ...failedBy([...errors, misplaced]), ...said };
  const inner = readOutput(formed, fieldsOf(contract, json.params, json.action), options);
  const all = [...errors, ...(inner.ok ? [] : inner.errors.map(inParams))];
  const read: Parsed<OutputOf[C]> =
    all.length === 0 && inner.ok ? inner : { ok: false, errors: all, value: inner.value };
  return { ...read, ...said };
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

/** Free text, or the answer that an envelope holds. */
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

/** A reply that is nothing but an envelope, though its role answers in plain text. Other JSON may be the answer. */
function wholeEnvelope(text: string): Record<string, unknown> | null {
  const json = parseRecord(text.trim().replace(/^`{3}\w*\s|`{3}$/g, ''));
  if (json === null) return null;
  const isWhole = ENVELOPE_FIELDS.every(field => !isAbsent(json[field]));
  return isWhole || (isRecord(json.params) && readSpecial(json) !== null) ? json : null;
}

/** Where the answer of an envelope stands, by its names in their order; else the message to the user. */
const ANSWER_FIELDS = ['text', 'answer', 'content', 'summary'] as const;

function answerIn({ params, userMessage }: Record<string, unknown>): string | null {
  const fields = isRecord(params) ? params : {};
  const said = [...ANSWER_FIELDS.map(name => fields[name]), userMessage];
  return said.map(each => stringOr(each, '').trim()).find(each => each !== '') ?? null;
}

const EXECUTION_FIELDS = Object.keys(CONTRACTS.execution.actions.COMPLETE);

/** An executor's envelope that is neither a result nor a call of an offered tool; such calls do not get here. */
function strayToolError(params: Record<string, unknown>, action: string | null): string | null {
  if (action === null || action === 'COMPLETE' || EXECUTION_FIELDS.some(field => !isAbsent(params[field])))
    return null;
  return expected('action', 'COMPLETE or the exact name of an offered tool', action);
}

/** The contract's fields as its reader takes them: `params`, with `action` where that says something too. */
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

/** Says of a field that it belongs in `params`. */
function inParams(error: string): string {
  return error.startsWith('`') ? `\`params.${error.slice(1)}` : error;
}

const MOST_ERRORS_NAMED = 10;

/** The message that asks a role once to mend its output: the errors, then the expected form in brief. */
export function reaskText(
  contract: OutputContract,
  errors: readonly string[],
  dialect: Dialect = CONTRACTS[contract].dialect,
  words: Words = BUILT_IN_WORDS.en,
): string {
  const named = errors.slice(0, MOST_ERRORS_NAMED).map(error => `- ${told(error)}`);
  if (errors.length > named.length)
    named.push(`- ${fill(words.moreFaults, { count: errors.length - named.length })}`);
  const form = contract === 'text' ? words.reaskText : `${words.reaskForm}\n${formOf(contract, dialect)}`;
  return `${words.reask}\n${named.join('\n')}\n\n${form}`;
}

/** The message to a role with tools that replied with nothing: its work may not be done. */
export function silentText(contract: OutputContract, dialect: Dialect, words: Words): string {
  return contract === 'text' ? words.reaskEmpty : `${words.reaskEmptyForm}\n${formOf(contract, dialect)}`;
}

/**
 * Says that JSON has the form of another contract than the one that is read, or null: an executor that writes
 * a plan has not reported. `params` are the fields, where they are not the JSON itself.
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

/** What `action` says, where a role has no choice. */
function soleAction(contract: OutputContract): string | null {
  const [only = null, ...more] = Object.keys(CONTRACTS[contract].actions);
  return more.length === 0 ? only : null;
}

/** The form of a contract's JSON in a dialect, on one line, for re-asks. */
export function formOf(contract: FormedContract, dialect: Dialect): string {
  return `{ ${formOfFields(fieldsInDialect(contract, dialect, {}))} }`;
}

/** The fields of a contract's JSON. `specials` are what a role may say in their place, where it can not go on. */
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
    about: 'null, but where the role can not go on',
  });
  return { ...own, action: asking, params: orNull(oneOf(specials), 'else null') };
}

/**
 * The fields without an envelope. Where each action has its own they stand side by side: those of the others are null.
 */
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
