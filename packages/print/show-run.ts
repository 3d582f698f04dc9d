/** Prints a summary of a run, for the verb `show`. */

import { formatCost, formatCount, formatDuration, preview, visibleText } from 'steersman/base';
import {
  type Artifact,
  type CheckResult,
  type ChildTree,
  type Gate,
  type RunSnapshot,
  stuckLine,
  type Usage,
  type UsageEntry,
} from 'steersman/client';
import { hiddenLines, knownOf, partLines, partsOf } from 'steersman/rules';
import { cachedFacts, cachedPercent, childEnd, usageByRole, usageOf } from 'steersman/run';
import type { Colors, TextSink } from 'steersman/shared';
import { terminalText, verbCall } from 'steersman/shared';
import { endLine } from './end-lines.js';
import { atDeadline, gateHelp } from './gate-help.js';
import { columnLines } from './layout.js';
import { taskLine } from './plan-lines.js';

/** Prints the plain form. */
export function printRun(
  sink: TextSink,
  shown: RunSnapshot,
  { children, webUi }: { children: readonly ChildTree[]; webUi: string | null },
): void {
  const { dim, yellow } = sink.colors;
  const facts: [string, string | null][] = [
    ['run', shown.id],
    ['status', statusLine(shown)],
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
  for (const check of shown.checks) sink.line(`  ${checkText(check, sink.colors)}`);
  for (const line of childLines(children)) sink.line(`  ${line}`);
  for (const artifact of shown.artifacts) sink.line(`  artifact ${artifactLine(artifact)}`);
  for (const line of gateLines(shown, sink.colors)) sink.line(line);
  for (const item of shown.inbox ?? [])
    sink.line(`  waits to be read: ${item.kind} ${item.id} · ${preview(terminalText(item.text), 100)}`);
  if (shown.endedAt !== null) sink.line(endLine(shown));
  if (shown.answer) sink.line(`\n${terminalText(shown.answer)}`);
}

/** Returns Temporal's status, the outcome and the phase, each word once: a failed run also has the outcome `failed`. */
function statusLine({ status, outcome, phase }: RunSnapshot): string {
  return [...new Set([status, outcome, phase])].filter(word => word !== null).join(' · ');
}

function checkText({ id, check, status, why, ms }: CheckResult, { green, yellow }: Colors): string {
  const line = terminalText(`check ${id} ${status.replace('_', ' ')} · ${check}`);
  const how = terminalText(` · ${status === 'passed' ? '' : `${why} · `}${formatDuration(ms)}`);
  return `${(status === 'passed' ? green : yellow)(line)}${how}`;
}

/** Returns a line for each sub-agent, below its caller's. */
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
  const counted =
    budget && limits
      ? [`this goal counts ${formatCount(budget.tokens)} of ${formatCount(limits.tokens)}`]
      : [];
  const time = budget ? [formatDuration(budget.wallTimeMs)] : [];
  const facts = [tokensOf(usage), ...cachedFacts(usage), ...counted, formatCost(usage.costUsd), ...time];
  return facts.join(' · ');
}

type WithGates = Pick<RunSnapshot, 'id' | 'gates' | 'inputs' | 'tasks'>;

/** Returns each open gate with all its details, and the commands that answer it. */
function gateLines({ id, gates, inputs, tasks }: WithGates, { bold, dim }: Colors): string[] {
  const text = (of: string) => terminalText(visibleText(of));
  return gates.flatMap(gate => [
    '',
    bold(`waits for you: ${gate.id} · ${gate.kind} · ${text(gate.title)}`),
    ...partLines(partsOf(gate)).map(line => `  ${terminalText(line)}`),
    ...hiddenLines(gate, knownOf(gate, { inputs, tasks })).map(line => `  ${terminalText(line)}`),
    ...(gate.deadline === null
      ? []
      : [dim(`  without an answer by ${new Date(gate.deadline).toLocaleString()}: ${atDeadline(gate)}`)]),
    ...gateHelp(id, { gateId: gate.id, kind: gate.kind, several: isOfSeveral(gate) }).map(
      line => `  ${line}`,
    ),
  ]);
}

function isOfSeveral(gate: Gate): boolean {
  return gate.kind === 'approval' && gate.subject.calls !== undefined;
}

// Formats an artifact as a line, for lists of artifacts and `show`.

export function artifactLine({ id, type, title, version, bytes }: Artifact): string {
  const facts = [
    id,
    type,
    `version ${version}`,
    `${bytes} bytes`,
    ...(title === id ? [] : [preview(title, 80)]),
  ];
  return terminalText(facts.join(' · '));
}

// The usage of a run by role and model, as a table in plain columns. Pure.

const HEADINGS = ['role', 'model', 'calls', 'input', 'cached', 'output', 'cost'];

/** Returns a line of headings, then a line for each role and model; a role with several models has its sum before them. */
export function usageTable(entries: readonly UsageEntry[]): string[] {
  if (entries.length === 0) return [];
  const rows = [...usageByRole(entries)].flatMap(([role, sum]) => {
    const own = entries.filter(entry => entry.role === role);
    const lines = own.map(entry => cells(entry.role, entry.model, entry.calls, usageOf(entry)));
    const calls = own.reduce((count, entry) => count + entry.calls, 0);
    return own.length === 1 ? lines : [cells(role, `${own.length} models`, calls, sum), ...lines];
  });
  return columnLines([HEADINGS, ...rows], HEADINGS.indexOf('calls'));
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

/** Returns a function that reports what a waiting run waits for, each reason only once. */
export function waitReporter(colors: Colors): (state: RunSnapshot) => string[] {
  const reported = new Set<string>();
  return state =>
    thingsOf(state, colors).flatMap(([key, ...lines]) => {
      if (reported.has(key)) return [];
      reported.add(key);
      return lines;
    });
}

/** Returns a key and the lines for each reason to wait; empty if the run works, or no worker answers. */
function thingsOf(state: RunSnapshot, colors: Colors): [string, ...string[]][] {
  const { id, stuck, gates, phase, pausedAgents, goals, lastEventSeq } = state;
  if (stuck) return [[stuck.what, stuckLine(stuck), stuck.todo]];
  const things = gates.map((gate): [string, ...string[]] => [
    gate.id,
    ...gateLines({ ...state, gates: [gate] }, colors),
  ]);
  const paused = phase === 'paused';
  if (paused || pausedAgents.length > 0) {
    const who = paused ? 'It' : pausedAgents.join(', ');
    const key = `${who} ${paused ? lastEventSeq : ''}`;
    things.push([key, `${who} is paused. Go on: ${verbCall(`resume ${id}`)}`]);
  }
  if (phase === 'idle')
    things.push([
      `idle ${goals.length}`,
      `It is answered, and open for a follow-up. End it: ${verbCall(`finish ${id}`)}`,
    ]);
  return things;
}
