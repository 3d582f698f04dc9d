/** Checks of a goal: they prove that it is met, independent of any model's claim. */

import type { JsonSchema } from '../../base/json/json.js';
import { isRecord, isText, jsonBytes } from '../../base/json/json.js';
import { APPROVED_CHECKS_BYTES, CHECKS_BYTES } from '../../base/sizes/bounds.js';
import { expected, quoted } from '../../base/text/output-fields.js';
import { preview } from '../../base/text/preview.js';
import { fill, type Words } from '../../base/words/words.js';
import type { FileState } from '../evidence/evidence.js';
import type { Cause } from '../limits/cause.js';

/** A command that ends with code 0, a file, a call of a read-only tool, or a function of the worker's program. */
export type Check =
  | { run: string; timeoutMs?: number }
  /** `matches`: a regular expression; `json`: a JSON Schema. */
  | { file: string; matches?: string; json?: JsonSchema }
  | { tool: string; arguments?: Record<string, unknown>; matches?: string }
  | { function: string };

/** `not_run`: the check can't be made here, so its result is unknown. */
export type CheckStatus = 'passed' | 'failed' | 'not_run';

export interface CheckResult {
  /** `c1`, `c2` and so on, in the order of the checks. */
  id: string;
  /** The check on one line. */
  check: string;
  status: CheckStatus;
  /** The reason on one line. */
  why: string;
  /** Beginning and end of its output, unless it passed. */
  output?: string;
  /** Files that the check reads and the goal changed: the goal may have altered the check itself. */
  changed?: string[];
  /** Those of `changed` that are gone, such as deleted tests. */
  gone?: string[];
  /** It failed before the goal changed anything, too. */
  redBefore?: true;
  /** The state of the file that it looked at. */
  file?: FileState;
  ms: number;
}

export interface GoalChecks {
  /** Checks that the planner proposed and a person approved with the plan; they run after the run's own. */
  approved: Check[];
  /** Results of the latest round of checks, in order; incomplete while the round runs. */
  results: CheckResult[];
  /** The goal's calls that may have changed something. */
  effects: number;
  /** `effects` when the checks began: a check that passed before a later change proves nothing. */
  made: number;
  /**
   * Results of the checks from before the goal's first change; `made`: the number of checks made so far, in their
   * order. Absent: not made.
   */
  before?: { made: number; red: RedCheck[] };
  /** The last failed round: `effects` then, and a hash of the answer. Null: no check has failed. */
  failed: { effects: number; answer: string } | null;
}

export interface RedCheck {
  /** The index among all checks of the goal. */
  index: number;
  why: string;
  /** A hash of its output. Absent in older versions. */
  said?: string;
}

export function noChecks(): GoalChecks {
  return { approved: [], results: [], effects: 0, made: 0, failed: null };
}

/** Checks of one source: all their shortened results fit the bound. */
export const MOST_CHECKS = 10;
export const CHECK_TIMEOUT_MS = 600_000;
export const MOST_CHECK_MS = 86_400_000;

interface Checked {
  pinned: { checks?: readonly Check[] } | null;
  goal: { checks: Pick<GoalChecks, 'approved'> };
}

/** Returns all checks that a goal must pass. */
export function checksOf({ pinned, goal }: Checked): readonly Check[] {
  return [...(pinned?.checks ?? []), ...goal.checks.approved];
}

export function checkLine(check: Check): string {
  return preview(whatItIs(check));
}

function whatItIs(check: Check): string {
  if ('run' in check) return check.run;
  if ('function' in check) return `function ${check.function}`;
  const matches = check.matches === undefined ? '' : ` matches /${check.matches}/`;
  if ('file' in check) return `file ${check.file}${matches}${check.json ? ' fits its JSON Schema' : ''}`;
  const given = check.arguments ? ` ${JSON.stringify(check.arguments)}` : '';
  return `tool ${check.tool}${given}${matches}`;
}

const MOST_APPROVED = 5;

/** Adds a planner's proposed commands to the `approved` checks, as many as fit. */
export function proposedChecks(commands: readonly string[], approved: readonly Check[] = []): Check[] {
  const all = [...approved];
  for (const run of commands) {
    const next = [...all, { run }];
    const isNew = !all.some(check => 'run' in check && check.run === run);
    const fits = next.length <= MOST_APPROVED && jsonBytes(next) <= APPROVED_CHECKS_BYTES;
    if (isNew && fits && checksFault([{ run }], 'checks') === null) all.push({ run });
  }
  return all;
}

/** Successful ends: with checks, they stand only if every check passed. */
const ENDS_WELL: readonly Cause[] = ['verified', 'direct_answer', 'carried_out', 'no_plan'];

/** Returns the cause of a goal's end with its checks: a successful end becomes worse if a check failed or did not run. */
export function causeWithChecks(cause: Cause, state: Checked & { goal: { checks: GoalChecks } }): Cause {
  const count = checksOf(state).length;
  if (count === 0 || !ENDS_WELL.includes(cause)) return cause;
  const { results, effects, made } = state.goal.checks;
  if (results.some(({ status }) => status === 'failed')) return 'checks_failed';
  const passed = results.filter(({ status }) => status === 'passed').length;
  if (passed < count || effects > made) return 'checks_not_run';
  return cause === 'verified' ? cause : 'checked';
}

/**
 * The part of an answer about checks that did not pass, and about checks whose files the goal changed; '' without any.
 * `left`: times that the work could still have gone back.
 */
export function checksText(
  { results }: Pick<GoalChecks, 'results'>,
  { cause, left }: { cause: Cause; left: number },
  words: Words,
): string {
  const lines = results
    .filter(({ status }) => status !== 'passed')
    .map(({ check, status, why, redBefore: isRed }) => {
      const failed = isRed ? words.checkFailedRed : words.checkFailed;
      return `${check} [${fill(status === 'failed' ? failed : words.checkNotRun, { why })}]`;
    });
  const early = cause === 'checks_failed' && left > 0 ? ` ${words.checksUnchanged}` : '';
  const failed =
    lines.length > 0 ? `${fill(words.checksNotPassed, { checks: lines.join('; ') })}${early}` : '';
  const read = results.flatMap(result => {
    const names = changedNames(result, words);
    return names.length > 0 ? [`${result.check} [${names.join(', ')}]`] : [];
  });
  const readFiles = read.length > 0 ? fill(words.checksChanged, { checks: read.join('; ') }) : '';
  return [failed, readFiles].filter(Boolean).join('\n\n');
}

/** Names the changed files that a check reads, and says which are gone. */
export function changedNames(
  { changed = [], gone = [] }: Pick<CheckResult, 'changed' | 'gone'>,
  words: Words,
): string[] {
  return changed.map(path => (gone.includes(path) ? `${path} (${words.evidenceIsGone})` : path));
}

const LAST_LINES = 15;
const LINE_CHARS = 300;

/** Returns the last lines of a check's output, where assertions are. */
export function lastLines(output: string): string[] {
  const lines = output.split('\n').filter(line => line.trim() !== '');
  return lines.slice(-LAST_LINES).map(line => (line.length > LINE_CHARS ? preview(line, LINE_CHARS) : line));
}

const FORMS: Record<string, readonly string[]> = {
  run: ['timeoutMs'],
  file: ['matches', 'json'],
  tool: ['arguments', 'matches'],
  function: [],
};

/** Returns what is wrong with checks from any source, in a sentence; null if they are valid. */
export function checksFault(value: unknown, at: string): string | null {
  if (!Array.isArray(value)) return expected(at, 'a list of checks', value);
  if (value.length > MOST_CHECKS)
    return `\`${at}\` has ${value.length} checks, and at most ${MOST_CHECKS} are taken.`;
  for (const [index, check] of value.entries()) {
    const fault = checkFault(check, `${at}[${index}]`);
    if (fault !== null) return fault;
  }
  const bytes = jsonBytes(value);
  return bytes > CHECKS_BYTES ? `\`${at}\` has ${bytes} bytes, and at most ${CHECKS_BYTES} are taken.` : null;
}

function checkFault(value: unknown, at: string): string | null {
  const kinds = Object.keys(FORMS);
  if (!isRecord(value)) return expected(at, `an object with one of ${kinds.join(', ')}`, value);
  const given = Object.keys(value);
  const [kind, ...others] = given.filter(key => kinds.includes(key));
  if (kind === undefined || others.length > 0)
    return `\`${at}\` must have exactly one of ${kinds.join(', ')}.`;
  const stray = given.find(key => key !== kind && !FORMS[kind]?.includes(key));
  if (stray !== undefined)
    return `There is no ${at}.${quoted(stray)}: beside ${kind} there may be ${FORMS[kind]?.join(', ') || 'nothing'}.`;
  const what = value[kind];
  if (!isText(what) || what.trim() === '') return expected(`${at}.${kind}`, 'a text that is not empty', what);
  return fieldFault(value, at);
}

function fieldFault({ timeoutMs, matches, json, arguments: args }: Record<string, unknown>, at: string) {
  if (timeoutMs !== undefined && !isTimeout(timeoutMs))
    return expected(`${at}.timeoutMs`, `a whole number from 1 to ${MOST_CHECK_MS}`, timeoutMs);
  if (matches !== undefined && !isPattern(matches))
    return expected(`${at}.matches`, 'a regular expression', matches);
  if (json !== undefined && !isRecord(json)) return expected(`${at}.json`, 'a JSON Schema object', json);
  if (args !== undefined && !isRecord(args)) return expected(`${at}.arguments`, 'an object', args);
  return null;
}

function isTimeout(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MOST_CHECK_MS;
}

/** True if the pattern compiles. It is run only where its time is bounded. */
function isPattern(value: unknown): boolean {
  if (!isText(value)) return false;
  try {
    new RegExp(value, 'm');
    return true;
  } catch {
    return false;
  }
}
