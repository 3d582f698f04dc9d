/**
 * Role output: tolerant finding of the JSON, then the reader of its contract, in either dialect.
 * Only `JSON.parse` and guards, so that a library update can't change a replay. Completion is read from
 * fields, never from words (F6).
 */

import type { Capabilities } from '../agents/capabilities.js';
import { BUILT_IN_WORDS, fill, type Words } from '../prompts/words.js';
import type { AssistantMessage } from '../state/message.js';
import { textOf } from '../state/message.js';
import { told } from '../text/fit.js';
import { isRecord, stringOr } from '../text/json.js';
import type { FormedContract, OutputContract } from './contracts.js';
import { CONTRACTS, jsonForm, OUTPUT_CONTRACTS } from './contracts.js';
import type { Dialect } from './envelope.js';
import { type EnvelopeMeta, isEnvelope, NO_ENVELOPE, readMeta } from './envelope.js';
import {
  type IntentOutput,
  type OrchestrationOutput,
  parseIntent,
  parseOrchestration,
  parseReview,
  parseRoute,
  type ReviewOutput,
  type RouteOutput,
} from './intent.js';
import { fencedObjects, parseRecord, topLevelObjects } from './json-in-text.js';
import { type ModeChoice, parseChoice } from './mode-choice.js';
import { expected, isAbsent, type Parsed, quoted } from './output-fields.js';
import { readSpecial, type SpecialOutput, specialText } from './special-output.js';
import {
  type ExecutionOutput,
  type PlanOutput,
  parseExecution,
  parsePlan,
  parseVerdict,
  type VerdictOutput,
} from './team-outputs.js';

export type { ExecutionOutput, PlanOutput, VerdictOutput } from './team-outputs.js';

/** What each output contract is read into. */
export interface OutputOf {
  plan: PlanOutput;
  execution: ExecutionOutput;
  verdict: VerdictOutput;
  intent: IntentOutput;
  route: RouteOutput;
  review: ReviewOutput;
  orchestration: OrchestrationOutput;
  choice: ModeChoice;
  text: string;
}

/**
 * The JSON object of a reply, or null: the whole text, else the last complete top-level object in a
 * fenced block or in prose. One that says `type: "component"`, else one that is an envelope, goes before
 * fenced ones, and those before others, because replies quote other JSON too. A broken or cut object gives null, never a part of it.
 * Time is linear in the text.
 */
export function extractJson(text: string): Record<string, unknown> | null {
  const whole = parseRecord(text.trim());
  if (whole !== null) return whole;
  const fenced = fencedObjects(text);
  const inProse = topLevelObjects(text);
  const all = [...fenced, ...inProse];
  const component = all.findLast(object => object.type === 'component') ?? all.findLast(isEnvelope);
  return component ?? fenced.at(-1) ?? inProse.at(-1) ?? null;
}

/** What the envelope in a reply says besides its parameters; `NO_ENVELOPE` where there is none. */
export function envelopeOf(reply: AssistantMessage): EnvelopeMeta {
  const json = extractJson(textOf(reply));
  return json && isEnvelope(json) ? readMeta(json).meta : NO_ENVELOPE;
}

/** A role's reply, read: its typed output, and beside it what its envelope says, or that it can not go on. */
export type RoleReply<T> = Parsed<T> & {
  /** `NO_ENVELOPE` for the component dialect. */
  envelope: EnvelopeMeta;
  /** Set where the role asks, reports an error or escalates: then there is no value. */
  special: SpecialOutput | null;
};

type Reader<T> = (json: Record<string, unknown>, known?: readonly string[], has?: Capabilities) => Parsed<T>;

const READERS: { [C in FormedContract]: Reader<OutputOf[C]> } = {
  plan: parsePlan,
  execution: parseExecution,
  verdict: parseVerdict,
  intent: parseIntent,
  route: parseRoute,
  review: parseReview,
  orchestration: parseOrchestration,
  choice: parseChoice,
};

export interface ReadOptions {
  /** What the model activity mended where the raw text could not be read. */
  repairedText?: string | undefined;
  /** Tasks that a plan's dependencies may name besides its own; that a verdict must name; modes to choose among. */
  known?: readonly string[];
  /** What tasks of a plan may need. Default: anything. */
  has?: Capabilities;
  /** The role's dialect. JSON is read in either; free text is taken for an envelope only in that dialect. */
  dialect?: Dialect;
}

/**
 * Reads a role's final reply by its contract, in either dialect. The repaired text counts only when
 * the raw one is not right as it stands. Faults of an envelope alone are doubts: the output in it is the
 * value when the re-ask is spent.
 */
export function parseRoleOutput<C extends OutputContract>(
  contract: C,
  text: string,
  options: ReadOptions = {},
): RoleReply<OutputOf[C]> {
  const raw = readReply(contract, text, options);
  if (raw.ok || raw.special !== null || options.repairedText === undefined) return raw;
  const repaired = readReply(contract, options.repairedText, options);
  return repaired.ok || repaired.special !== null || raw.value === null ? repaired : raw;
}

function readReply<C extends OutputContract>(
  contract: C,
  text: string,
  options: ReadOptions,
): RoleReply<OutputOf[C]> {
  // The compiler does not see that the contract's own reader gives the contract's own output.
  if (contract === 'text') return readText(text, options) as RoleReply<OutputOf[C]>;
  const formed = contract as FormedContract;
  const reader = READERS[formed] as Reader<OutputOf[C]>;
  const json = extractJson(text);
  if (json === null)
    return unread(text.trim() === '' ? 'nothing' : `text that begins with "${quoted(text)}"`);
  const special = readSpecial(json);
  if (special !== null) return specialReply(special, json);
  const { known, has } = options;
  if (!isEnvelope(json)) {
    const other = otherFormError(formed, json);
    const read: Parsed<OutputOf[C]> = other ? failedBy(other) : reader(json, known, has);
    return { ...read, envelope: NO_ENVELOPE, special };
  }
  const { meta, errors } = readMeta(json);
  if (!isRecord(json.params)) return { ok: false, errors, value: null, envelope: meta, special };
  const misplaced =
    otherFormError(formed, json, json.params) ??
    (contract === 'execution' ? strayToolError(json.params, meta.action) : null);
  if (misplaced !== null)
    return { ok: false, errors: [...errors, misplaced], value: null, envelope: meta, special };
  const inner = reader(fieldsOf(contract, json.params, json.action), known, has);
  const innerErrors = inner.ok ? [] : inner.errors.map(inParams);
  const all = [...errors, ...innerErrors];
  const outcome: Parsed<OutputOf[C]> =
    all.length === 0 && inner.ok ? inner : { ok: false, errors: all, value: inner.value };
  return { ...outcome, envelope: meta, special };
}

function failedBy(error: string): Parsed<never> {
  return { ok: false, errors: [error], value: null };
}

function unread(got: string): RoleReply<never> {
  const errors = [`The reply must be one complete, valid JSON object, got ${got}.`];
  return { ok: false, errors, value: null, envelope: NO_ENVELOPE, special: null };
}

function specialReply(special: SpecialOutput, json: Record<string, unknown>): RoleReply<never> {
  const envelope = isEnvelope(json) ? readMeta(json).meta : NO_ENVELOPE;
  return { ok: false, errors: [specialText(special, BUILT_IN_WORDS.en)], value: null, envelope, special };
}

/**
 * Free text; in the envelope dialect, what an envelope holds as `params.text`, `params.answer` or
 * `params.summary`, else its message to the user.
 */
function readText(text: string, { dialect }: ReadOptions): RoleReply<string> {
  const json = dialect === 'envelope' ? extractJson(text) : null;
  if (json !== null) {
    const special = readSpecial(json);
    if (special !== null) return specialReply(special, json);
    const envelope = isEnvelope(json) ? readMeta(json).meta : NO_ENVELOPE;
    const params = isRecord(json.params) ? json.params : {};
    const value = [params.text, params.answer, params.summary, envelope.userMessage]
      .map(candidate => stringOr(candidate, '').trim())
      .find(candidate => candidate !== '');
    if (value !== undefined) return { ok: true, value, envelope, special: null };
  }
  const value = text.trim();
  if (value !== '') return { ok: true, value, envelope: NO_ENVELOPE, special: null };
  const errors = ['The reply must hold a text, got nothing.'];
  return { ok: false, errors, value: null, envelope: NO_ENVELOPE, special: null };
}

const EXECUTION_FIELDS = ['summary', 'taskCompleted', 'shouldContinue', 'nextAction', 'todos'];

/** An executor's envelope that is neither a result nor, since it got here, a call of an offered tool. */
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

// The forms of role outputs in brief, for re-asks: what `reaskText` ends with.

/**
 * Says that JSON has the form of another contract than the one that is read, or null: an executor that writes
 * a plan has not reported. `params` are the fields, where they are not the JSON itself.
 */
function otherFormError(
  contract: FormedContract,
  json: Record<string, unknown>,
  params: Record<string, unknown> = json,
): string | null {
  const own = jsonForm(contract);
  const others = OUTPUT_CONTRACTS.flatMap(other =>
    other === 'text' || other === contract ? [] : [{ contract: other, ...jsonForm(other) }],
  );
  if (others.some(({ component }) => json.component === component))
    return expected('component', own.component, json.component);
  const isOthers = others.some(({ action }) => action !== null && json.action === action);
  if (isOthers && params !== json) return expected('action', own.action ?? 'your own', json.action);
  if (!isAbsent(params[own.mark]) || json.component === own.component) return null;
  const marked = others.find(({ mark }) => !isAbsent(params[mark]));
  return marked ? `The reply has the form of a ${marked.contract}, which is not asked for here.` : null;
}

/** The form of a contract's JSON in a dialect, on one line. */
export function formOf(contract: FormedContract, dialect: Dialect): string {
  const { component, action, actionWords = `"${action}"`, fields } = jsonForm(contract);
  if (dialect === 'component') {
    const chosen = action === null ? `"action": ${actionWords}, ` : '';
    return `{ "type": "component", "component": "${component}", ${chosen}${fields} }`;
  }
  return (
    `{ "thought": string, "action": ${actionWords}, "params": { ${fields} }, "expectedOutcome": string, ` +
    '"risk": { "level": "low" | "medium" | "high", "description": string, "mitigation": string }, ' +
    '"confidence": number from 0 to 100, "requiresUserConfirmation": boolean, "userMessage": string }'
  );
}
