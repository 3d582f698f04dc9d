/** What a run used, by role and model: a table in plain columns. Pure. */
import type { Usage } from '../core/message.js';
import { cachedPercent, type UsageEntry, usageByRole, usageOf } from '../core/usage-by.js';
import { formatCost, formatCount } from './format.js';
import { padText, widthOf } from './layout.js';
import { terminalText } from './terminal-text.js';

const HEADINGS = ['role', 'model', 'calls', 'input', 'cached', 'output', 'cost'];
/** Columns of words; those of figures end at one edge. */
const WORDS = 2;

/** A line of headings, then one for each role and model; a role with several models has its sum before them. */
export function usageTable(entries: readonly UsageEntry[]): string[] {
  if (entries.length === 0) return [];
  const rows = [...usageByRole(entries)].flatMap(([role, sum]) => {
    const own = entries.filter(entry => entry.role === role);
    const lines = own.map(entry => cells(entry.role, entry.model, entry.calls, usageOf(entry)));
    const calls = own.reduce((count, entry) => count + entry.calls, 0);
    return own.length === 1 ? lines : [cells(role, `${own.length} models`, calls, sum), ...lines];
  });
  const all = [HEADINGS, ...rows];
  const widths = HEADINGS.map((_, at) => Math.max(...all.map(row => widthOf(row[at] ?? ''))));
  return all.map(row =>
    row.map((cell, at) => padText(cell, widths[at] ?? 0, at < WORDS ? 'left' : 'right')).join('  '),
  );
}

function cells(role: string, model: string, calls: number, usage: Usage): string[] {
  const { inputTokens, outputTokens, costUsd } = usage;
  const cached = cachedPercent(usage);
  return [
    terminalText(role),
    terminalText(model),
    formatCount(calls),
    formatCount(inputTokens),
    cached === null ? '' : `${cached} %`,
    formatCount(outputTokens),
    formatCost(costUsd),
  ];
}
