/** A summary of a run from every available source: its worker, its result, the store, or the server alone. */

import type { Gate } from '../../run/gates/gate.js';
import type { Cause, Outcome } from '../../run/limits/cause.js';
import type { RunRecord } from '../../run/state/stored-line.js';
import type { InboxItem } from '../../run/steering/inbox.js';
import { unreadableNames } from '../../shared/temporal/temporal-client.js';
import type { FileBefore, RunResult, RunView } from '../../workflows/run/definitions.js';
import { stateQuery } from '../../workflows/run/definitions.js';
import { askRun } from '../connection/ask-run.js';
import type { Temporal } from '../connection/connect.js';
import { gateInput, type ToolInput } from './gate-input.js';
import { type RunEnd, readEnd, UNREADABLE } from './run-end.js';
import type { RunDescription } from './runs.js';
import { isOpen, mayBeServed, timesOf } from './runs.js';
import { readStuckTask, type StuckTask } from './stuck-task.js';

/** The state of a run at a moment. Fields that only a worker knows are null if no worker answers. */
export interface RunSnapshot {
  id: string;
  runId: string;
  /** Temporal's status in lower case; `forgotten` if only the store knows the run. */
  status: string;
  startedAt: string;
  endedAt: string | null;
  outcome: Outcome | null;
  /** The cause of the outcome. */
  cause: Cause | null;
  /** The basis of a completed run; else null. */
  basis: RunView['basis'];
  /** Impossible parts of the goal, each with a reason. */
  exceptions: string[];
  /** The reason why it failed, or why Temporal ended it. */
  failure: RunEnd['failure'];
  mode: string | null;
  /** The reason for the mode, if a role chose it. */
  modeWhy: string | null;
  /** `paused`, `waiting` (for a person) and `idle` (answered, open for a follow-up) take precedence over phases of work. */
  phase: RunView['phase'] | null;
  goal: string | null;
  /** Folder in which its tools work. */
  workspace: string | null;
  /** Its model; if no worker answers, the first one that it called. */
  model: string | null;
  /** Roles that changed to another model, each with its last change and the reason. */
  switches: RunView['switches'];
  /** Roles of its mode that read messages. */
  readers: RunView['readers'];
  tasks: RunView['tasks'];
  /** Results of the last goal's checks. */
  checks: RunView['checks'];
  artifacts: RunView['artifacts'];
  /** The answer as a value that fits the schema of the start; absent if there is no such value. */
  value?: unknown;
  /** Files before the goal's first write to them; empty if no source has them. */
  filesBefore: FileBefore[];
  /** The last sub-agents; empty if neither a worker nor a result reports them. */
  children: RunView['children'];
  counters: RunView['counters'] | null;
  limits: RunView['limits'];
  usage: RunView['usage'] | null;
  /** Usage by role and model; empty if it is unknown. */
  usageBy: RunView['usageBy'];
  budget: RunView['budget'] | null;
  paused: boolean;
  /** Paths of sub-agents that a pause holds. */
  pausedAgents: string[];
  stopping: boolean;
  /** Open gates, oldest first. */
  gates: Gate[];
  /** All arguments of the gates' tool calls, by gate. */
  inputs: Record<string, ToolInput>;
  /** Messages that are not applied yet; null if no worker answers. */
  inbox: InboxItem[] | null;
  /** Goals that have ended. */
  goals: RunView['goals'];
  threads: RunView['internals']['threads'] | null;
  lastEventSeq: number | null;
  answer: string | null;
  /** The reason why its workflow task fails repeatedly; null if it does not. */
  stuck: StuckTask | null;
  /** True if a worker answered, not only the server. */
  answered: boolean;
  /** Parts that can't be decoded here: names of the memo, and `result`. */
  unreadable: string[];
}

/** Status of a run that only the store knows. */
export const FORGOTTEN = 'forgotten';

const QUERY_TIMEOUT_MS = 5_000;

/** Reads a run: from its worker if that answers, its end from the server, and the rest from the store if `find` knows it. */
export async function readSnapshot(
  temporal: Temporal,
  run: RunDescription,
  find: (run: RunDescription) => Promise<{ run: RunRecord } | null>,
): Promise<RunSnapshot> {
  const stuck = isOpen(run) ? await readStuckTask(temporal.client, run).catch(() => null) : null;
  const [end, view] = await Promise.all([
    isOpen(run) ? null : readEnd(temporal, run),
    // A run whose task fails does not answer queries either.
    stuck === null ? readView(temporal, run) : null,
  ]);
  const stored = view === null ? ((await find(run))?.run ?? null) : null;
  const snapshot = { ...snapshotOf({ run, view, end, kept: stored }), stuck };
  for (const gate of snapshot.gates) {
    const input = await gateInput(temporal, run.workflowId, gate);
    if (input !== null) snapshot.inputs[gate.id] = input;
  }
  return snapshot;
}

async function readView(temporal: Temporal, run: RunDescription): Promise<RunView | null> {
  if (!(await mayBeServed(temporal, run.taskQueue))) return null;
  const part = { id: run.workflowId, runId: run.runId, timeoutMs: QUERY_TIMEOUT_MS };
  // If no worker answers for any reason, the server's own data remains.
  return askRun(temporal, part, stateQuery).catch(() => null);
}

/** The sources of a run: the server, or only the store. */
type Parts =
  | { run: RunDescription; view: RunView | null; end: RunEnd | null; kept: RunRecord | null }
  | { run?: undefined; view?: undefined; end?: undefined; kept: RunRecord };

/** Combines the data of worker, result, server and store, in this order of precedence. Pure. */
export function snapshotOf({ run, view = null, end = null, kept }: Parts): RunSnapshot {
  const result: RunResult | null = end?.result ?? null;
  const rest = kept?.rest;
  const memo = (name: string) => (typeof run?.memo?.[name] === 'string' ? run.memo[name] : null);
  const usageBy = view?.usageBy ?? result?.usageBy ?? rest?.usageBy ?? [];
  const hasEnded = end !== null || (run === undefined && kept.ended);
  return {
    ...(run === undefined ? asStored(kept) : asServed(run)),
    outcome: end?.outcome ?? view?.outcome ?? kept?.outcome ?? null,
    cause: result?.cause ?? view?.cause ?? kept?.cause ?? null,
    basis: result?.basis ?? view?.basis ?? rest?.basis ?? null,
    exceptions: result?.exceptions ?? view?.exceptions ?? rest?.exceptions ?? [],
    failure: end?.failure ?? null,
    mode: view?.mode ?? result?.mode ?? kept?.mode ?? memo('mode'),
    modeWhy: view?.modeWhy ?? null,
    phase: hasEnded ? 'ended' : (view?.phase ?? null),
    goal: view?.goal ?? result?.goal ?? kept?.goal ?? memo('goal'),
    workspace: view?.workspace ?? kept?.workspace ?? memo('workspace'),
    model: view?.model ?? usageBy[0]?.model ?? null,
    switches: view?.switches ?? [],
    readers: view?.readers ?? [],
    tasks: view?.tasks ?? result?.tasks ?? rest?.tasks ?? [],
    checks: view?.checks ?? result?.checks ?? rest?.checks ?? [],
    artifacts: view?.artifacts ?? result?.artifacts ?? rest?.artifacts ?? [],
    ...valueIn(view, result, rest),
    filesBefore: view?.filesBefore ?? result?.filesBefore ?? rest?.filesBefore ?? [],
    children: view?.children ?? result?.children ?? rest?.children ?? [],
    counters: view?.counters ?? result?.counters ?? rest?.counters ?? null,
    limits: view?.limits ?? null,
    usage: view?.usage ?? result?.usage ?? kept?.usage ?? null,
    usageBy,
    budget: view?.budget ?? null,
    paused: view?.paused ?? false,
    pausedAgents: end ? [] : (view?.pausedAgents ?? []),
    stopping: view?.stopping ?? false,
    gates: end ? [] : (view?.gates ?? []),
    inputs: {},
    inbox: end ? [] : (view?.inbox ?? null),
    goals: view?.goals ?? result?.goals ?? rest?.goals ?? [],
    threads: view?.internals.threads ?? null,
    lastEventSeq: view?.internals.lastEventSeq ?? kept?.kept.seq ?? null,
    answer: result?.text ?? view?.answer ?? lastAnswer(view) ?? kept?.answer ?? null,
    stuck: null,
    answered: view !== null,
    unreadable: [...unreadableNames(run?.memo), ...(end?.failure?.type === UNREADABLE ? ['result'] : [])],
  };
}

/** A value may be null, because that is JSON: so a missing value is an absent field. */
function valueIn(...tellers: ({ value?: unknown } | null | undefined)[]): { value?: unknown } {
  const teller = tellers.find(each => each?.value !== undefined);
  return teller ? { value: teller.value } : {};
}

function asServed(run: RunDescription) {
  const { workflowId: id, runId, status } = run;
  return { id, runId, status: status.name.toLowerCase(), ...timesOf(run) };
}

function asStored({ workflowId: id, runId, startedAt, changedAt }: RunRecord) {
  const iso = (at: number) => new Date(at).toISOString();
  return { id, runId, status: FORGOTTEN, startedAt: iso(startedAt), endedAt: iso(changedAt) };
}

/** A run that is kept open has answered its last goal already. */
function lastAnswer(view: RunView | null): string | null {
  return view?.phase === 'idle' ? (view.goals.at(-1)?.answer ?? null) : null;
}
