/** The doctor's findings as lines for people. */
import { plural } from '../../shared/format.js';
import type { Colors } from '../../shared/output.js';
import { terminalText } from '../../shared/terminal-text.js';
import type { Finding, FindingStatus } from './finding.js';

const MARKS: Record<FindingStatus, string> = { ok: '✔', warning: '!', failed: '✖', skipped: '–' };
const NAME_COLUMNS = 18;
const INDENT = ' '.repeat(NAME_COLUMNS + 3);

/** A mark, what was looked at, what was found; below it what to do. */
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

export interface Summary {
  /** Names of the checks that failed, in order, each once. */
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
