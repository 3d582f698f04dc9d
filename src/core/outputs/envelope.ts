/**
 * The output envelope (G9, C1): what a role thinks, does and expects, around parameters
 * that are typed by role.
 */

import { fill, type Words } from '../prompts/words.js';
import { booleanOrNull, isRecord, stringOr } from '../text/json.js';
import { preview } from '../text/preview.js';
import { expected, isAbsent, numberOrNull, stringsOf } from './output-fields.js';

/** The form of a role's JSON: flat fields (000), or fields in `params` of an envelope (002). */
export type Dialect = 'component' | 'envelope';

type RiskLevel = 'low' | 'medium' | 'high';
const RISK_LEVELS: readonly RiskLevel[] = ['low', 'medium', 'high'];

export interface Risk {
  level: RiskLevel;
  description: string;
  mitigation?: string;
}

/** The six fields that an envelope must have (G11). */
export const ENVELOPE_FIELDS = [
  'thought',
  'action',
  'params',
  'expectedOutcome',
  'risk',
  'confidence',
] as const;
type EnvelopeField = (typeof ENVELOPE_FIELDS)[number];

/** An envelope without its parameters: what stands beside the typed output of a role. */
export interface EnvelopeMeta {
  dialect: Dialect;
  /** Each null where the reply did not give it, or not in its type: nothing is made up. */
  thought: string | null;
  action: string | null;
  expectedOutcome: string | null;
  risk: Risk | null;
  /** 0 to 100. */
  confidence: number | null;
  alternativeActions: string[];
  requiresUserConfirmation: boolean;
  userMessage: string | null;
  /** Which of the six fields the reply lacks: all of them in the component dialect. */
  absent: EnvelopeField[];
}

/** Beside an output of the component dialect, which has none of it. */
export const NO_ENVELOPE: EnvelopeMeta = {
  dialect: 'component',
  thought: null,
  action: null,
  expectedOutcome: null,
  risk: null,
  confidence: null,
  alternativeActions: [],
  requiresUserConfirmation: false,
  userMessage: null,
  absent: [...ENVELOPE_FIELDS],
};

/** Below this, in percent, an output is confirmed by a person before it is followed (F22, C19). */
const CONFIRM_BELOW = 70;
/** Of `alternativeActions`, as many as a person is shown. */
const MOST_ALTERNATIVES = 5;

/**
 * A confidence in percent; null for what is none. In a `share` field (0 to 1) values up to 1 count
 * a hundredfold, and larger ones are percent already, as models write them. In a `percent` field a
 * fraction such as 0.85 is null: nobody can tell whether 85 was meant.
 */
export function confidencePercent(value: unknown, scale: 'share' | 'percent'): number | null {
  const given = numberOrNull(value);
  if (given === null || given < 0 || given > 100) return null;
  // JSON has a zero below zero, which it does not keep.
  const number = Math.abs(given);
  if (scale === 'percent') return number > 0 && number < 1 ? null : number;
  // Rounded, for 0.57 * 100 is 56.99999999999999.
  return number <= 1 ? Math.round(number * 1e12) / 1e10 : number;
}

/**
 * True for JSON that is meant as an envelope, if only in part: `action` with `params`, or three of the six
 * fields. What says `type: "component"` is none.
 */
export function isEnvelope(json: Record<string, unknown>): boolean {
  if (json.type === 'component') return false;
  if (typeof json.action === 'string' && isRecord(json.params)) return true;
  return ENVELOPE_FIELDS.filter(field => !isAbsent(json[field])).length >= 3;
}

/** What an envelope says besides its parameters, and what is wrong with its six fields. */
export function readMeta(json: Record<string, unknown>): { meta: EnvelopeMeta; errors: string[] } {
  const errors: string[] = [];
  const read = {
    thought: readText(json, 'thought', errors),
    action: readText(json, 'action', errors),
    expectedOutcome: readText(json, 'expectedOutcome', errors),
    risk: readRisk(json.risk, errors),
    confidence: confidencePercent(json.confidence, 'percent'),
  };
  if (!isRecord(json.params)) errors.push(expected('params', 'an object', json.params));
  if (read.confidence === null)
    errors.push(expected('confidence', 'a whole number from 0 to 100', json.confidence));
  const found = { ...read, params: isRecord(json.params) ? json.params : null };
  const meta: EnvelopeMeta = {
    dialect: 'envelope',
    ...read,
    alternativeActions: stringsOf(json.alternativeActions),
    requiresUserConfirmation: booleanOrNull(json.requiresUserConfirmation) ?? false,
    userMessage: stringOr(json.userMessage, '').trim() || null,
    absent: ENVELOPE_FIELDS.filter(field => found[field] === null),
  };
  return { meta, errors };
}

function readText(json: Record<string, unknown>, field: string, errors: string[]): string | null {
  const text = stringOr(json[field], '').trim();
  if (text === '') errors.push(expected(field, 'a non-empty string', json[field]));
  return text || null;
}

function readRisk(value: unknown, errors: string[]): Risk | null {
  const json = isRecord(value) ? value : {};
  const given = stringOr(json.level, '').trim().toLowerCase();
  const level = RISK_LEVELS.find(known => known === given);
  if (level === undefined) {
    const [field, got] = isRecord(value) ? ['risk.level', json.level] : ['risk', value];
    const what = isRecord(value) ? 'one of low, medium, high' : 'an object { level, description }';
    errors.push(expected(field, what, got));
    return null;
  }
  const description = stringOr(json.description, '').trim();
  if (description === '') errors.push(expected('risk.description', 'a non-empty string', json.description));
  const mitigation = stringOr(json.mitigation, '').trim();
  return mitigation === '' ? { level, description } : { level, description, mitigation };
}

/**
 * Why a person must confirm before this output is followed, then what could be done instead; empty when
 * nobody need. Only what the output says counts: an absent risk or confidence is no reason.
 */
export function confirmationReasons(meta: EnvelopeMeta, words: Words): string[] {
  const { risk, confidence } = meta;
  const reasons: string[] = [];
  if (meta.requiresUserConfirmation) reasons.push(words.asksConfirmation);
  if (risk?.level === 'high') {
    const said = fill(words.highRisk, { risk: preview(risk.description) || words.riskNotDescribed });
    const { mitigation } = risk;
    reasons.push(
      mitigation ? `${said} ${fill(words.mitigation, { mitigation: preview(mitigation) })}` : said,
    );
  }
  if (confidence !== null && confidence < CONFIRM_BELOW) reasons.push(fill(words.notSure, { confidence }));
  if (reasons.length === 0) return [];
  const others = meta.alternativeActions.slice(0, MOST_ALTERNATIVES);
  return [...reasons, ...others.map(other => fill(words.otherwise, { action: preview(other) }))];
}

/** A tool call that an executor wrote as an envelope (F19): the canonical form of it. */
export interface EnvelopeToolCall {
  /** As offered. */
  name: string;
  input: Record<string, unknown>;
  /** What the result is checked against; null where the reply does not say. */
  expectedOutcome: string | null;
}

/**
 * The tool call that an envelope is: its `action` is the exact name of an offered tool, `params` the
 * arguments, `{}` where there are none. Null for everything else: such a reply is read by its contract.
 */
export function envelopeToolCall(
  json: Record<string, unknown>,
  offeredNames: readonly string[],
): EnvelopeToolCall | null {
  if (json.type === 'component' || !(isRecord(json.params) || isAbsent(json.params))) return null;
  const name = offeredNames.find(offered => offered === json.action);
  if (name === undefined) return null;
  const expectedOutcome = stringOr(json.expectedOutcome, '').trim() || null;
  return { name, input: isRecord(json.params) ? json.params : {}, expectedOutcome };
}
