/** The fields of a start as a person typed them, and the request that they make. Faults name fields of the form. Pure. */
import type { StartAsk } from '@steersman/view';
import { readNumber } from 'steersman/base';
import type { Word } from '../words/words.js';

/** Says who answers the run's questions. */
export type Approvals = 'ask' | 'all' | 'none';

export interface StartFields {
  goal: string;
  /** Empty: the default. The same holds for the model and the limits. */
  mode: string;
  model: string;
  /** Null: the console's folder. */
  workspace: string | null;
  approvals: Approvals;
  approvePlan: boolean;
  /** A command on each line. */
  checks: string;
  turns: string;
  tokens: string;
  minutes: string;
  costUsd: string;
  keepOpen: boolean;
}

export const NO_FIELDS: StartFields = {
  goal: '',
  mode: '',
  model: '',
  workspace: null,
  approvals: 'ask',
  approvePlan: false,
  checks: '',
  turns: '',
  tokens: '',
  minutes: '',
  costUsd: '',
  keepOpen: true,
};

export type FieldName = keyof StartFields;
/** The fault of a field: a word of the page, or the server's message. */
export type StartFault = Word | { message: string };
export type StartFaults = Partial<Record<FieldName, StartFault>>;

/** An answered run waits this long for the next goal. */
const KEEP_OPEN_SECONDS = 1_800;
const MINUTE_MS = 60_000;

/** The limit fields of the form. `limit`: the run's name for it; `unit`: the form's unit, in the run's unit. */
export const LIMIT_FIELDS = [
  { field: 'turns', limit: 'turns', unit: 1, word: 'budget_turns', isWhole: true },
  { field: 'tokens', limit: 'tokens', unit: 1, word: 'budget_tokens', isWhole: true },
  { field: 'minutes', limit: 'wallTimeMs', unit: MINUTE_MS, word: 'minutes', isWhole: false },
  { field: 'costUsd', limit: 'costUsd', unit: 1, word: 'costInUsd', isWhole: false },
] as const satisfies readonly {
  field: FieldName;
  limit: string;
  unit: number;
  word: Word;
  isWhole: boolean;
}[];

/** `endpoint/model`, or the demo model. */
const MODEL = /^(?:[a-z][a-z0-9_-]*\/\S+|demo)$/;

export function startBody(fields: StartFields): { body: Record<string, unknown> } | { faults: StartFaults } {
  const limits = new Map<string, number>();
  const faults: StartFaults = {};
  if (fields.goal.trim() === '') faults.goal = 'faultEmpty';
  const model = fields.model.trim();
  if (model !== '' && !MODEL.test(model)) faults.model = 'faultModel';
  if (fields.workspace?.trim() === '') faults.workspace = 'faultFolder';
  for (const { field, limit, unit, isWhole } of LIMIT_FIELDS) {
    if (fields[field].trim() === '') continue;
    const value = readNumber(fields[field]);
    if (value === null || value <= 0) faults[field] = 'faultNumber';
    else if (isWhole && !Number.isInteger(value)) faults[field] = 'faultWhole';
    else limits.set(limit, unit === 1 ? value : Math.max(1, Math.round(value * unit)));
  }
  if (Object.keys(faults).length > 0) return { faults };
  const checks = fields.checks
    .split('\n')
    .map(line => line.trim())
    .filter(Boolean);
  return {
    body: {
      goal: fields.goal.trim(),
      ...(fields.mode !== '' && { mode: fields.mode }),
      ...(model !== '' && { model }),
      ...(fields.workspace !== null && { workspace: fields.workspace.trim() }),
      attended: fields.approvals !== 'none',
      ...(fields.approvals === 'all' && { autoApprove: true }),
      ...(fields.approvePlan && fields.approvals === 'ask' && { approvePlan: true }),
      ...(checks.length > 0 && { checks }),
      ...(limits.size > 0 && { limits: Object.fromEntries(limits) }),
      ...(fields.keepOpen && { keepOpenSeconds: KEEP_OPEN_SECONDS }),
    },
  };
}

/** Returns the fields that make such a request: the reverse of `startBody`. What the form lacks is left out. */
export function fieldsIn({ limits = {}, checks = [], ...asked }: StartAsk): Omit<StartFields, 'goal'> {
  const { mode = '', model = '', workspace = null, approvePlan = false, keepOpenSeconds = 0 } = asked;
  return {
    ...{ mode, model, workspace, approvePlan, keepOpen: keepOpenSeconds > 0 },
    approvals: asked.autoApprove ? 'all' : asked.attended ? 'ask' : 'none',
    checks: checks.join('\n'),
    ...(Object.fromEntries(
      LIMIT_FIELDS.map(({ field, limit, unit }) => [field, limitText(limits[limit] ?? null, unit)]),
    ) as Record<(typeof LIMIT_FIELDS)[number]['field'], string>),
  };
}

function limitText(limit: number | null, unit: number): string {
  return limit === null ? '' : String(limit / unit);
}

/** Returns the server's refusal at the field that it names; null if the form has no such field. */
export function refusedField(option: string | null, message: string): StartFaults | null {
  return option !== null && Object.hasOwn(NO_FIELDS, option) ? { [option]: { message } } : null;
}

/**
 * Returns the id of a start's request: a repeated request with the same body starts no second run, another body does.
 * `word`: a random text, stored until a start has succeeded.
 */
export function requestIdOf(word: string, body: Record<string, unknown>): string {
  const text = JSON.stringify(body);
  let sum = 0;
  for (let at = 0; at < text.length; at++) sum = (Math.imul(sum, 31) + text.charCodeAt(at)) | 0;
  return `${word} ${text.length} ${sum}`;
}
