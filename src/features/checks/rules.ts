/** What checks are before a goal's first change, and what follows from their results. Pure. */
import { CHECK_RESULTS_BYTES, CHECKS_BEFORE_BYTES } from '../../base/sizes/bounds.js';
import { fitted } from '../../base/text/fit.js';
import { preview } from '../../base/text/preview.js';
import { fill, type Words } from '../../base/words/words.js';
import type { CheckResult, CheckStatus, GoalChecks } from '../../run/checks/check.js';

/** Adds the next check's result from before the goal's first change. */
export function withBefore(
  { made, red }: NonNullable<GoalChecks['before']> = { made: 0, red: [] },
  end: { status: CheckStatus; why: string },
): NonNullable<GoalChecks['before']> {
  const also = end.status === 'failed' ? [{ index: made, why: preview(end.why, RED_CHARS) }] : [];
  return { made: made + 1, red: fitted([...red, ...also], CHECKS_BEFORE_BYTES - 50) };
}

/** Limit of a reason that instructions repeat. */
const RED_CHARS = 60;

/** A result without content: an empty list, or a sentence that says so. */
const NOTHING =
  /^\s*(?:\[\s*\]|\{\s*\}|null|""|0|\(?(?:no|0|nothing|none|not found|there (?:is|are) no)\b[^\n]{0,200})\s*$/i;

/** True if a tool's answer says that it found nothing: a check that only asks then fails. */
export function foundNothing(said: string): boolean {
  return said.trim() === '' || NOTHING.test(said);
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
export function failedChecks(results: readonly CheckResult[], words: Words): string[] {
  return results
    .filter(({ status }) => status === 'failed')
    .map(({ id, check, why, output, redBefore: isRed }) =>
      [
        fill(words.checkWanted, { id, check, why }),
        ...(isRed ? [words.wasRed] : []),
        ...(output ? [output] : []),
      ].join('\n'),
    );
}
