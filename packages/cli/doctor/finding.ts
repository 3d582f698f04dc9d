/** A finding of the doctor, and its lines for people. */

import { errorText, plural } from 'steersman/base';
import { SteersmanError } from 'steersman/client';
import type { Colors } from 'steersman/shared';
import { terminalText } from 'steersman/shared';

/** `warning`: runs work, but not as well as they could. `skipped`: an earlier check must succeed first. */
type FindingStatus = 'ok' | 'warning' | 'failed' | 'skipped';

export interface Finding {
  /** The name of the check, such as `namespace`; `model` and `tools` have a finding for each model and server. */
  check: string;
  status: FindingStatus;
  found: string;
  /** Advice; null if there is nothing to do, or `found` says it. */
  todo: string | null;
}

export function ok(check: string, found: string): Finding {
  return { check, status: 'ok', found, todo: null };
}

export function warning(check: string, found: string, todo: string | null): Finding {
  return { check, status: 'warning', found, todo };
}

export function failed(check: string, found: string, todo: string | null): Finding {
  return { check, status: 'failed', found, todo };
}

export function skipped(check: string, why: string): Finding {
  return { check, status: 'skipped', found: `not looked at: ${why}`, todo: null };
}

/** Turns an error into a failed finding; a SteersmanError has its own advice. */
export function failedBy(check: string, error: unknown): Finding {
  if (error instanceof SteersmanError) return failed(check, error.message, error.remedy || null);
  return failed(check, errorText(error), null);
}

const MARKS: Record<FindingStatus, string> = { ok: '✔', warning: '!', failed: '✖', skipped: '–' };
const NAME_COLUMNS = 18;
const INDENT = ' '.repeat(NAME_COLUMNS + 3);

export function findingLines({ check, status, found, todo }: Finding, colors: Colors): string[] {
  const paint = { ok: colors.green, warning: colors.yellow, failed: colors.red, skipped: colors.dim }[status];
  const [first = '', ...more] = terminalText(found).split('\n');
  const advice = todo === null ? [] : terminalText(todo).split('\n');
  return [
    `${paint(MARKS[status])} ${check.padEnd(NAME_COLUMNS)} ${status === 'skipped' ? colors.dim(first) : first}`,
    ...more.map(line => `${INDENT}${line}`),
    ...advice.map((line, index) => `${INDENT}${index === 0 ? '→' : ' '} ${line}`),
  ];
}

interface Summary {
  failed: string[];
  warnings: number;
}

export function summarize(findings: readonly Finding[]): Summary {
  return {
    failed: [...new Set(findings.filter(({ status }) => status === 'failed').map(({ check }) => check))],
    warnings: findings.filter(({ status }) => status === 'warning').length,
  };
}

export function summaryLine({ failed, warnings }: Summary, colors: Colors): string {
  const aside = warnings === 0 ? '' : ` ${plural(warnings, 'warning')}.`;
  if (failed.length === 0) return `${colors.green('Ready.')}${aside}`;
  return `${colors.red(`Not ready: ${failed.join(', ')}.`)}${aside}${failed.length > 1 ? ' Begin with the first.' : ''}`;
}
