/** Results of checks from before a goal's first change, and what follows from results. Pure. */

import type { CheckEnd } from '../../activities/types.js';
import { CHECK_RESULTS_BYTES, CHECKS_BEFORE_BYTES } from '../../base/sizes/bounds.js';
import { fitted } from '../../base/text/fit.js';
import { preview } from '../../base/text/preview.js';
import { fill, type Words } from '../../base/words/words.js';
import type { CheckResult, GoalChecks } from '../../run/checks/check.js';
import { hash64 } from '../../run/tools/ledger.js';

/** Adds the next check's result from before the goal's first change. */
export function withBefore(
  { made, red }: NonNullable<GoalChecks['before']> = { made: 0, red: [] },
  { status, why, output }: CheckEnd,
): NonNullable<GoalChecks['before']> {
  const also =
    status === 'failed' ? [{ index: made, why: preview(why, RED_CHARS), said: outputHash(output) }] : [];
  return { made: made + 1, red: fitted([...red, ...also], CHECKS_BEFORE_BYTES - 50) };
}

/** Returns a hash of a check's output, without times. */
function outputHash(output = ''): string {
  return hash64(output.replace(/\d+(?:\.\d+)?\s?(?:ms|s)\b/g, ''));
}

/** Limit of a reason that instructions repeat. */
const RED_CHARS = 60;

/** A result without content: an empty list, or a sentence that says so. */
const NOTHING =
  /^\s*(?:\[\s*\]|\{\s*\}|null|""|0|\(?(?:no|0|nothing|none|not found|there (?:is|are) no)\b[^\n]{0,200})\s*$/i;

/** True if a tool's answer says that it found nothing: a check that only asks then fails. */
export function foundNothing(output: string): boolean {
  return output.trim() === '' || NOTHING.test(output);
}

/** Adds a result to the others, within their bound. */
export function withResult(results: readonly CheckResult[], result: CheckResult): CheckResult[] {
  return fitted([...results, result], CHECK_RESULTS_BYTES);
}

/**
 * Decides what follows from all results. `left`: times that the work may still go back because of checks, not counting
 * this one; `changed`: true if anything changed since a check last failed.
 */
export function decideChecks(
  results: readonly Pick<CheckResult, 'status'>[],
  { left, changed }: { left: number; changed: boolean },
): 'passed' | 'again' | 'failed' | 'not_run' {
  // A failed check can be mended; a check that can't be made here can't.
  if (results.some(({ status }) => status === 'failed')) return left > 0 && changed ? 'again' : 'failed';
  return results.some(({ status }) => status === 'not_run') ? 'not_run' : 'passed';
}

/** Returns the instruction to mend, one text for each failed check. */
export function failedChecks(
  { results, before }: Pick<GoalChecks, 'results' | 'before'>,
  words: Words,
): string[] {
  return results.flatMap(({ status, id, check, why, output, redBefore: isRed }, index) => {
    if (status !== 'failed') return [];
    const hashBefore = before?.red.find(each => each.index === index)?.said;
    const isOther = hashBefore !== undefined && hashBefore !== outputHash(output);
    const was = isRed ? [isOther ? words.wasRedOtherwise : words.wasRed] : [];
    return [fill(words.checkWanted, { id, check, why }), ...was, ...(output ? [output] : [])].join('\n');
  });
}
