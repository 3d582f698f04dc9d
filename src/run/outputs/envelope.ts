/** The output envelope (G9, C1): a role's thoughts, act and expectations, around `params` typed by role. */

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
import { isEnvelope } from './role-form.js';

/** The form of a role's JSON: flat fields (000), or fields in an envelope's `params` (002). */
export type Dialect = 'component' | 'envelope';

const SOFT = { soft: true } as const;
const FILLED = { filled: true, soft: true } as const;
const RISK_FIELDS = {
  level: word(['low', 'medium', 'high'], SOFT),
  description: text(FILLED),
  mitigation: text({ optional: true }),
};
/** Fields in the order in which a model should write them. */
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

/** Returns the fields of an envelope with this action and these parameters. */
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

/** An envelope without its parameters; it accompanies the role's typed output. */
export interface EnvelopeMeta extends Pick<ReadAll<typeof META>, AsRead> {
  dialect: Dialect;
  // Null if the reply lacks the field or its type is wrong: no value is invented.
  thought: string | null;
  action: string | null;
  expectedOutcome: string | null;
  risk: Risk | null;
  requiresUserConfirmation: boolean;
}

/** The envelope of outputs in the component dialect, which have no such fields. */
export const NO_ENVELOPE: EnvelopeMeta = {
  ...readMeta({}).meta,
  dialect: 'component',
};

/** Below this percentage, a person confirms an output before it is followed (F22, C19). */
const CONFIRM_BELOW = 70;
/** The number of `alternativeActions` that a person is shown. */
const MOST_ALTERNATIVES = 5;

/** Reads an envelope's fields besides its parameters, and the faults of its six fields. */
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

/** Null without a level: such a risk can't be weighed. */
function riskOf({ level, description, mitigation }: ReadAll<typeof RISK_FIELDS>): Risk | null {
  if (level === null) return null;
  return { level, description, ...(mitigation !== null && { mitigation }) };
}

/**
 * Returns why a person must confirm this output, then the alternatives; empty if no confirmation is needed. Only stated
 * reasons count: an absent risk or confidence requires nothing.
 */
export function confirmationReasons(meta: EnvelopeMeta, words: Words): string[] {
  const { risk, confidence } = meta;
  const reasons: string[] = [];
  if (meta.requiresUserConfirmation) reasons.push(words.asksConfirmation);
  if (risk?.level === 'high') {
    const described = preview(risk.description).replace(/[.。]$/, '');
    const sentence = fill(words.highRisk, { risk: described || words.riskNotDescribed });
    const { mitigation } = risk;
    reasons.push(
      mitigation ? `${sentence} ${fill(words.mitigation, { mitigation: preview(mitigation) })}` : sentence,
    );
  }
  if (confidence !== null && confidence < CONFIRM_BELOW) reasons.push(fill(words.notSure, { confidence }));
  if (reasons.length === 0) return [];
  const others = meta.alternativeActions.slice(0, MOST_ALTERNATIVES);
  return [...reasons, ...others.map(other => fill(words.otherwise, { action: preview(other) }))];
}

/** A tool call that an executor wrote as an envelope (F19), in canonical form. */
export interface EnvelopeToolCall {
  /** The name as offered. */
  name: string;
  input: Record<string, unknown>;
  /** The expectation to check the result against; null if the reply has none. */
  expectedOutcome: string | null;
}

/**
 * Returns the tool call of an envelope: `action` is the exact name of an offered tool, `params` its arguments, by
 * default `{}`. Null for any other reply, which is then read by its contract.
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
 * Returns a reply's JSON object, or null: the whole text, else the last complete top-level object in a fenced block or
 * in prose. Replies quote other JSON too, so an object with `type: "component"` is preferred, then an envelope, then a
 * fenced object, then any other. A broken or cut object gives null, never a part of it. Time is linear in the text.
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
