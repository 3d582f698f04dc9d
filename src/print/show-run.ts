/** A run at a glance: what `show` prints. Works without a worker for ended runs. */

import { askRun } from '../client/runs/ask-run.js';
import type { Temporal } from '../client/runs/connect.js';
import { webUiLink } from '../client/runs/connect.js';
import { gateInput, hiddenInput, type ToolInput } from '../client/runs/gate-input.js';
import type { RunEnd } from '../client/runs/run-end.js';
import { endLine, readEnd, UNREADABLE } from '../client/runs/run-end.js';
import type { RunDescription } from '../client/runs/runs.js';
import { isOpen, mayBeServed, timesOf } from '../client/runs/runs.js';
import { readStuckTask, type StuckTask, stuckLine } from '../client/runs/stuck-task.js';
import type { Cause, Outcome } from '../core/cause.js';
import type { Gate } from '../core/gates/gate.js';
import type { InboxItem } from '../core/inbox.js';
import { preview } from '../core/preview.js';
import { unreadableNames } from '../temporal-client.js';
import type { RunResult, RunView } from '../workflows/messages.js';
import { stateQuery } from '../workflows/messages.js';
import { formatCost, formatCount, formatDuration } from './format.js';
import { atDeadline, gateHelp } from './gate-help.js';
import type { Colors, TextSink } from './output.js';
import { taskLine } from './plan-lines.js';
import { terminalText } from './terminal-text.js';

/** `show --json`. What only a worker can tell of a run is null where none answers. */
export interface ShownRun {
  id: string;
  runId: string;
  /** Temporal's, in lower case. */
  status: string;
  startedAt: string;
  endedAt: string | null;
  outcome: Outcome | null;
  /** Why it ended so. */
  cause: Cause | null;
  mode: string | null;
  /** `paused`, `waiting` (for a person) and `idle` (answered, open for a follow-up) before any phase of work. */
  phase: RunView['phase'] | null;
  goal: string | null;
  model: string | null;
  tasks: RunView['tasks'];
  counters: RunView['counters'] | null;
  limits: RunView['limits'];
  usage: RunView['usage'] | null;
  budget: RunView['budget'] | null;
  paused: boolean;
  stopping: boolean;
  /** Open gates, oldest first. */
  gates: Gate[];
  /** All arguments of the tool calls that gates are about, by gate. */
  inputs: Record<string, ToolInput>;
  /** Messages that are not applied yet; null where no worker tells. */
  inbox: InboxItem[] | null;
  /** Goals that have ended. */
  goals: RunView['goals'];
  threads: RunView['internals']['threads'] | null;
  lastEventSeq: number | null;
  answer: string | null;
  /** Why its workflow task fails again and again, where it does. */
  stuck: StuckTask | null;
  /** What can not be decoded here: names of the memo, and `result`. */
  unreadable: string[];
}

const QUERY_TIMEOUT_MS = 5_000;

/** Reads a run: from its worker where one answers, and its end, where it has one, from the server. */
export async function readRun(
  temporal: Temporal,
  run: RunDescription,
): Promise<{ shown: ShownRun; end: RunEnd | null; answered: boolean }> {
  const stuck = isOpen(run) ? await readStuckTask(temporal.client, run).catch(() => null) : null;
  const [end, view] = await Promise.all([
    isOpen(run) ? null : readEnd(temporal, run),
    // A task that fails answers no query either.
    stuck === null ? readView(temporal, run) : null,
  ]);
  const shown = { ...shownRun(run, view, end), stuck };
  for (const gate of shown.gates) {
    const input = await gateInput(temporal, run.workflowId, gate);
    if (input !== null) shown.inputs[gate.gateId] = input;
  }
  return { shown, end, answered: view !== null };
}

async function readView(temporal: Temporal, run: RunDescription): Promise<RunView | null> {
  if (!(await mayBeServed(temporal, run.taskQueue))) return null;
  const part = { id: run.workflowId, runId: run.runId, timeoutMs: QUERY_TIMEOUT_MS };
  // Whatever keeps a worker from answering, the server's own knowledge is what there is.
  return askRun(temporal, part, stateQuery).catch(() => null);
}

/** Puts together what worker, result and server tell. Pure. */
export function shownRun(run: RunDescription, view: RunView | null, end: RunEnd | null): ShownRun {
  const result: RunResult | null = end?.result ?? null;
  const memo = (name: string) => (typeof run.memo?.[name] === 'string' ? run.memo[name] : null);
  return {
    id: run.workflowId,
    runId: run.runId,
    status: run.status.name.toLowerCase(),
    ...timesOf(run),
    outcome: end?.outcome ?? view?.outcome ?? null,
    cause: result?.cause ?? view?.cause ?? null,
    mode: view?.mode ?? result?.mode ?? memo('mode'),
    phase: end ? 'ended' : (view?.phase ?? null),
    goal: view?.goal ?? result?.goal ?? memo('goal'),
    model: view?.model ?? null,
    tasks: view?.tasks ?? result?.tasks ?? [],
    counters: view?.counters ?? result?.counters ?? null,
    limits: view?.limits ?? null,
    usage: view?.usage ?? result?.usage ?? null,
    budget: view?.budget ?? null,
    paused: view?.paused ?? false,
    stopping: view?.stopping ?? false,
    gates: end ? [] : (view?.gates ?? []),
    inputs: {},
    inbox: end ? [] : (view?.inbox ?? null),
    goals: view?.goals ?? result?.goals ?? [],
    threads: view?.internals.threads ?? null,
    lastEventSeq: view?.internals.lastEventSeq ?? null,
    answer: result?.answer ?? view?.answer ?? lastAnswer(view),
    stuck: null,
    unreadable: [...unreadableNames(run.memo), ...(end?.failure?.type === UNREADABLE ? ['result'] : [])],
  };
}

/** A run that is kept open has answered its last goal already. */
function lastAnswer(view: RunView | null): string | null {
  return view?.phase === 'idle' ? (view.goals.at(-1)?.answer ?? null) : null;
}

/** The plain form. */
export function printRun(sink: TextSink, temporal: Temporal, shown: ShownRun, end: RunEnd | null): void {
  const { dim } = sink.colors;
  const link = webUiLink(temporal, shown.id);
  const facts: [string, string | null][] = [
    ['run', shown.id],
    ['status', [shown.status, shown.outcome, shown.phase].filter(word => word !== null).join(' · ')],
    ['goal', shown.goal],
    ['mode', shown.mode],
    ['not read', shown.unreadable.join(', ') || null],
    ['model', shown.model || null],
    ['counters', countersLine(shown)],
    ['usage', usageLine(shown)],
    ['web ui', link],
    ['stuck', shown.stuck && stuckLine(shown.stuck)],
    ['to do', shown.stuck?.todo ?? null],
  ];
  for (const [name, value] of facts) {
    if (value !== null) sink.line(`${dim(name.padEnd(9))}${terminalText(value)}`);
  }
  for (const task of shown.tasks)
    sink.line(`  ${taskLine(task)}${task.reason ? dim(` (${task.reason})`) : ''}`);
  for (const line of gateLines(shown.id, shown.gates, sink.colors, shown.inputs)) sink.line(line);
  for (const item of shown.inbox ?? [])
    sink.line(`  waits to be read: ${item.kind} ${item.id} · ${preview(terminalText(item.text), 100)}`);
  if (end !== null) sink.line(endLine(end));
  if (shown.answer) sink.line(`\n${terminalText(shown.answer)}`);
}

function countersLine({ counters, limits }: ShownRun): string | null {
  if (counters === null) return null;
  const of = (limit: number | undefined) => (limit === undefined ? '' : ` of ${formatCount(limit)}`);
  return [
    `turns ${counters.turns}${of(limits?.turns)}`,
    `verifications ${counters.verification}${of(limits?.verification)}`,
    `tool calls ${counters.toolCalls}`,
  ].join(' · ');
}

function usageLine({ usage, budget, limits }: ShownRun): string | null {
  if (usage === null) return null;
  const tokens = `${formatCount(usage.inputTokens)} + ${formatCount(usage.outputTokens)} tokens`;
  const limit = limits ? ` of ${formatCount(limits.tokens)}` : '';
  const time = budget ? [formatDuration(budget.wallTimeMs)] : [];
  return [`${tokens}${limit}`, formatCost(usage.costUsd), ...time].join(' · ');
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
    bold(`waits for you: ${gate.gateId} · ${gate.kind} · ${terminalText(gate.title)}`),
    ...terminalText(gate.body)
      .split('\n')
      .map(line => `  ${line}`),
    ...hiddenInput(gate, inputs[gate.gateId] ?? null).map(line => `  ${terminalText(line)}`),
    ...(gate.deadline === null
      ? []
      : [dim(`  without an answer by ${new Date(gate.deadline).toLocaleString()}: ${atDeadline(gate)}`)]),
    ...gateHelp(id, gate).map(line => `  ${line}`),
  ]);
}
