/** Formats the output of `/gates`, `/plan`, `/budget`, `/model` and `/help`. Pure. */

import { padText, taskLine, widthOf, wrapText } from '@steersman/print';
import { formatCost, formatCount, formatDuration } from 'steersman/base';
import type { Limits, RunView } from 'steersman/client';
import { wordsHint } from 'steersman/rules';
import { terminalText } from 'steersman/shared';
import { helpRows } from './input/commands.js';
import { promptHelp } from './input/prompt-line.js';
import type { Look, SessionState } from './input/session-state.js';
import { gateLines, type Page } from './screen/scroll-lines.js';

const INDENT = '      ';

export function lookLines(
  at: Look,
  view: RunView | null,
  { gates, prompts, words }: SessionState,
  page: Page,
): string[] {
  if (at === 'gates') return gatesLines(gates, page);
  if (at === 'help')
    return [...helpRows(words), ...promptHelp(prompts)].flatMap(row => helpLines(row, page.width));
  if (view === null) return [`${INDENT}No worker has told yet: once more in a moment.`];
  const lines = at === 'plan' ? planLines(view) : at === 'budget' ? budgetLines(view) : modelLines(view);
  return lines.map(line => `${INDENT}${terminalText(line)}`);
}

const HELP_COLUMN = 24;

/** The description is printed in a column next to its command; below it if the command is too long. */
function helpLines([what, does]: readonly [string, string], width: number): string[] {
  if (widthOf(what) >= HELP_COLUMN) return [...wrapText(what, width), ...helpLines(['', does], width)];
  return wrapText(does, width - HELP_COLUMN).map(
    (line, at) => `${padText(at === 0 ? what : '', HELP_COLUMN)}${line.trimStart()}`,
  );
}

function gatesLines(gates: SessionState['gates'], page: Page): string[] {
  if (gates.length === 0) return [`${INDENT}Nothing waits for your answer.`];
  return gates.flatMap(gate => [
    ...gateLines(gate, page),
    `${INDENT}${page.colors.dim(`${gate.kind}: ${wordsHint(gate)}`)}`,
  ]);
}

function planLines({ tasks }: RunView): string[] {
  if (tasks.length === 0) return ['There are no tasks yet. /plan TEXT adds one.'];
  return tasks.map(task => `${taskLine(task)}${task.reason ? ` (${task.reason})` : ''}`);
}

/** Names each limit as `/budget` takes it, with the amount used. */
function budgetLines({ limits, counters, budget }: RunView): string[] {
  if (limits === null) return ['The run loads: its limits are not known yet.'];
  const used: Partial<Record<keyof Limits, string>> = {
    tokens: `${formatCount(budget.tokens)}, cached input at its price`,
    wallTimeMs: formatDuration(budget.wallTimeMs),
    costUsd: formatCost(budget.costUsd),
    turns: formatCount(counters.turns),
    verification: formatCount(counters.verification),
  };
  const lines = Object.entries(limits).map(([name, limit]) => {
    const of = used[name as keyof Limits];
    const given = limit === null ? 'no limit' : formatCount(limit);
    return `${padText(name, 20)}${padText(given, 12, 'right')}${of === undefined ? '' : ` · used ${of}`}`;
  });
  return [...lines, 'Change them: /budget tokens=2000000 turns=200'];
}

function modelLines({ models, switches }: RunView): string[] {
  const roles = Object.entries(models);
  if (roles.length === 0) return ['The run loads: its models are not known yet.'];
  const column = Math.max(...roles.map(([role]) => role.length)) + 2;
  return [
    ...roles.map(
      ([role, [first = '', ...rest]]) =>
        `${padText(role, column)}${first}${rest.length > 0 ? ` · if it fails ${rest.join(', ')}` : ''}`,
    ),
    ...switches.map(
      ({ role, fromModel, toModel, why }) =>
        `${role} went on with ${toModel} instead of ${fromModel}: ${why}`,
    ),
    'Change it: /model ENDPOINT/MODEL, or of one role: /model ROLE ENDPOINT/MODEL',
  ];
}
