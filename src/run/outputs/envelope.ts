/**
 * The output envelope (G9, C1): what a role thinks, does and expects, around parameters
 * that are typed by role.
 */

import { isRecord, stringOr } from '../../base/json/json.js';
import { fencedObjects, parseRecord, topLevelObjects } from '../../base/json/json-in-text.js';
import { isAbsent } from '../../base/text/output-fields.js';
import { preview } from '../../base/text/preview.js';
import { fill, type Words } from '../../base/words/words.js';
import {
  Faults,
  type Field,
  type Fields,
  flag,
  number,
  type ReadAll,
  readFields,
  record,
  SCALES,
  text,
  texts,
  word,
} from './fields.js';

/** The form of a role's JSON: flat fields (000), or fields in `params` of an envelope (002). */
export type Dialect = 'component' | 'envelope';

/** The six fields that an envelope must have (G11). */
export const ENVELOPE_FIELDS = [
  'thought',
  'action',
  'params',
  'expectedOutcome',
  'risk',
  'confidence',
] as const;

const SOFT = { soft: true } as const;
const FILLED = { filled: true, soft: true } as const;
const RISK_FIELDS = {
  level: word(['low', 'medium', 'high'], SOFT),
  description: text(FILLED),
  mitigation: text({ optional: true }),
};
/** In the order in which a model is to write them. */
const META = {
  thought: text(FILLED),
  action: text(FILLED),
  expectedOutcome: text(FILLED),
  risk: record(RISK_FIELDS, 'an object { level, description }'),
  confidence: number({ soft: true, about: SCALES.percent.wanted }, SCALES.percent),
  alternativeActions: texts({ optional: true, lax: true }),
  requiresUserConfirmation: flag({ optional: true, lax: true }),
  userMessage: text({ optional: true, about: 'for the person' }),
};

/** The fields of an envelope with such an action and parameters. */
export function envelopeFields(action: Field, params: Field): Fields {
  const { thought, action: _any, ...rest } = META;
  return { thought, action, params, ...rest };
}

export interface Risk {
  level: 'low' | 'medium' | 'high';
  description: string;
  mitigation?: string;
}

type AsRead = 'confidence' | 'alternativeActions' | 'userMessage';

/** An envelope without its parameters: what stands beside the typed output of a role. */
export interface EnvelopeMeta extends Pick<ReadAll<typeof META>, AsRead> {
  dialect: Dialect;
  // Each null where the reply did not give it, or not in its type: nothing is made up.
  thought: string | null;
  action: string | null;
  expectedOutcome: string | null;
  risk: Risk | null;
  requiresUserConfirmation: boolean;
}

/** Beside an output of the component dialect, which has none of it. */
export const NO_ENVELOPE: EnvelopeMeta = {
  ...readMeta({}).meta,
  dialect: 'component',
};

/** Below this, in percent, an output is confirmed by a person before it is followed (F22, C19). */
const CONFIRM_BELOW = 70;
/** Of `alternativeActions`, as many as a person is shown. */
const MOST_ALTERNATIVES = 5;

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
  const faults = new Faults();
  const read = readFields(META, json, faults);
  if (!isRecord(json.params)) faults.add('params', 'an object', json.params);
  const meta: EnvelopeMeta = {
    ...read,
    dialect: 'envelope',
    thought: read.thought || null,
    action: read.action || null,
    expectedOutcome: read.expectedOutcome || null,
    risk: riskOf(read.risk),
    requiresUserConfirmation: read.requiresUserConfirmation ?? false,
  };
  return { meta, errors: faults.said };
}

/** Null where it has no level: nobody can tell what it is worth. */
function riskOf({ level, description, mitigation }: ReadAll<typeof RISK_FIELDS>): Risk | null {
  if (level === null) return null;
  return { level, description, ...(mitigation !== null && { mitigation }) };
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

/**
 * The JSON object of a reply, or null: the whole text, else the last complete top-level object in a fenced block or
 * in prose. One that says `type: "component"`, else one that is an envelope, goes before fenced ones, and those
 * before others, because replies quote other JSON too. A broken or cut object gives null, never a part of it. Time is
 * linear in the text.
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
