/** A run at a glance: what `show` prints. */

import type { ChildTree } from '../client/runs/child-tree.js';
import type { ToolInput } from '../client/runs/gate-input.js';
import type { RunSnapshot } from '../client/runs/run-snapshot.js';
import { stuckLine } from '../client/runs/stuck-task.js';
import { childEnd } from '../core/children.js';
import type { Gate } from '../core/gates/gate.js';
import type { Usage } from '../core/message.js';
import { preview } from '../core/preview.js';
import { artifactLine } from './artifact-line.js';
import { endLine } from './end-lines.js';
import { formatCost, formatCount, formatDuration } from './format.js';
import { atDeadline, gateHelp, hiddenInput } from './gate-help.js';
import type { Colors, TextSink } from './output.js';
import { taskLine } from './plan-lines.js';
import { terminalText } from './terminal-text.js';
import { usageTable } from './usage-table.js';

/** The plain form. */
export function printRun(
  sink: TextSink,
  shown: RunSnapshot,
  { children, webUi }: { children: readonly ChildTree[]; webUi: string | null },
): void {
  const { dim, yellow } = sink.colors;
  const facts: [string, string | null][] = [
    ['run', shown.id],
    ['status', [shown.status, shown.outcome, shown.phase].filter(word => word !== null).join(' · ')],
    ['goal', shown.goal],
    ['mode', [shown.mode, shown.modeWhy].filter(word => word !== null).join(': ') || null],
    ['not read', shown.unreadable.join(', ') || null],
    ['model', shown.model || null],
    ['counters', countersLine(shown)],
    ['usage', usageLine(shown)],
    ['paused', shown.pausedAgents.join(', ') || null],
    ['web ui', webUi],
    ['stuck', shown.stuck && stuckLine(shown.stuck)],
    ['to do', shown.stuck?.todo ?? null],
  ];
  for (const [name, value] of facts) {
    if (value !== null) sink.line(`${dim(name.padEnd(9))}${terminalText(value)}`);
  }
  for (const [at, line] of usageTable(shown.usageBy).entries()) sink.line(`  ${at === 0 ? dim(line) : line}`);
  for (const { role, fromModel, toModel, why } of shown.switches)
    sink.line(`  ${terminalText(`${role} went on with ${toModel} instead of ${fromModel}: ${why}`)}`);
  for (const task of shown.tasks)
    sink.line(
      `  ${taskLine(task)}${task.reason ? dim(` (${task.reason})`) : ''}${task.overdue ? yellow(' · takes longer than estimated') : ''}`,
    );
  for (const line of childLines(children)) sink.line(`  ${line}`);
  for (const artifact of shown.artifacts) sink.line(`  artifact ${artifactLine(artifact)}`);
  for (const line of gateLines(shown.id, shown.gates, sink.colors, shown.inputs)) sink.line(line);
  for (const item of shown.inbox ?? [])
    sink.line(`  waits to be read: ${item.kind} ${item.id} · ${preview(terminalText(item.text), 100)}`);
  if (shown.endedAt !== null) sink.line(endLine(shown));
  if (shown.answer) sink.line(`\n${terminalText(shown.answer)}`);
}

/** A line each, below the one that called it. */
function childLines(children: readonly ChildTree[]): string[] {
  return children.flatMap(child => {
    const { usage } = child;
    const used = usage === null ? [] : [tokensOf(usage), formatCost(usage.costUsd)];
    const facts = [`agent ${child.id}`, childEnd(child), ...used, child.instruction];
    return [terminalText(facts.join(' · ')), ...childLines(child.children).map(line => `  ${line}`)];
  });
}

function tokensOf({ inputTokens, outputTokens }: Usage): string {
  return `${formatCount(inputTokens)} + ${formatCount(outputTokens)} tokens`;
}

function countersLine({ counters, limits }: RunSnapshot): string | null {
  if (counters === null) return null;
  const of = (limit: number | undefined) => (limit === undefined ? '' : ` of ${formatCount(limit)}`);
  return [
    `turns ${counters.turns}${of(limits?.turns)}`,
    `verifications ${counters.verification}${of(limits?.verification)}`,
    `tool calls ${counters.toolCalls}`,
  ].join(' · ');
}

function usageLine({ usage, budget, limits }: RunSnapshot): string | null {
  if (usage === null) return null;
  const limit = limits ? ` of ${formatCount(limits.tokens)}` : '';
  const time = budget ? [formatDuration(budget.wallTimeMs)] : [];
  return [`${tokensOf(usage)}${limit}`, formatCost(usage.costUsd), ...time].join(' · ');
}

/** Each open gate with what it is about, and the commands that answer it. */
export function gateLines(
  id: string,
  gates: readonly Gate[],
  { bold, dim }: Colors,
  inputs: Record<string, ToolInput> = {},
): string[] {
  return gates.flatMap(gate => [
    '',
    bold(`waits for you: ${gate.id} · ${gate.kind} · ${terminalText(gate.title)}`),
    ...terminalText(gate.body)
      .split('\n')
      .map(line => `  ${line}`),
    ...hiddenInput(gate, inputs[gate.id] ?? null).map(line => `  ${terminalText(line)}`),
    ...(gate.deadline === null
      ? []
      : [dim(`  without an answer by ${new Date(gate.deadline).toLocaleString()}: ${atDeadline(gate)}`)]),
    ...gateHelp(id, gate.id, gate.kind).map(line => `  ${line}`),
  ]);
}
