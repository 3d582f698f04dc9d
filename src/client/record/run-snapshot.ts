/** A run at a glance, whoever can tell of it: its worker, its result, or the server alone. */

import type { Gate } from '../../run/gates/gate.js';
import type { Cause, Outcome } from '../../run/limits/cause.js';
import type { RunRecord } from '../../run/state/kept.js';
import type { InboxItem } from '../../run/steering/inbox.js';
import { unreadableNames } from '../../shared/temporal/temporal-client.js';
import type { RunResult, RunView } from '../../workflows/run/definitions.js';
import { stateQuery } from '../../workflows/run/definitions.js';
import { askRun } from '../connection/ask-run.js';
import type { Temporal } from '../connection/connect.js';
import { gateInput, type ToolInput } from './gate-input.js';
import { type RunEnd, readEnd, UNREADABLE } from './run-end.js';
import type { RunDescription } from './runs.js';
import { isOpen, mayBeServed, timesOf } from './runs.js';
import { readStuckTask, type StuckTask } from './stuck-task.js';

/** A run at a moment. What only a worker can tell of it is null where none answers. */
export interface RunSnapshot {
  id: string;
  runId: string;
  /** Temporal's, in lower case; `forgotten` where only the store knows the run. */
  status: string;
  startedAt: string;
  endedAt: string | null;
  outcome: Outcome | null;
  /** Why it ended so. */
  cause: Cause | null;
  /** On what it rests, where it was completed. */
  basis: RunView['basis'];
  /** Parts of the goal that are impossible here, each with why. */
  exceptions: string[];
  /** Why it failed, or what Temporal ended it for. */
  failure: RunEnd['failure'];
  mode: string | null;
  /** Why that mode, where a role chose it. */
  modeWhy: string | null;
  /** `paused`, `waiting` (for a person) and `idle` (answered, open for a follow-up) before any phase of work. */
  phase: RunView['phase'] | null;
  goal: string | null;
  /** Folder that its tools work in. */
  workspace: string | null;
  model: string | null;
  /** Roles that went on with another model, each with its last change and why. */
  switches: RunView['switches'];
  /** Roles of its mode that read messages. */
  readers: RunView['readers'];
  tasks: RunView['tasks'];
  /** What came of the checks of the last goal. */
  checks: RunView['checks'];
  artifacts: RunView['artifacts'];
  /** The last sub-agents; empty where neither a worker nor a result tells. */
  children: RunView['children'];
  counters: RunView['counters'] | null;
  limits: RunView['limits'];
  usage: RunView['usage'] | null;
  /** By role and model; empty where it is not known. */
  usageBy: RunView['usageBy'];
  budget: RunView['budget'] | null;
  paused: boolean;
  /** The ways to sub-agents that a pause holds. */
  pausedAgents: string[];
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
  /** A worker told it, and not the server alone. */
  answered: boolean;
  /** What can not be decoded here: names of the memo, and `result`. */
  unreadable: string[];
}

/** Status of a run that the store alone knows. */
export const FORGOTTEN = 'forgotten';

const QUERY_TIMEOUT_MS = 5_000;

/**
 * Reads a run: from its worker where one answers, its end, where it has one, from the server, and the rest as the store
 * has it, where `find` knows it.
 */
export async function readSnapshot(
  temporal: Temporal,
  run: RunDescription,
  find: (run: RunDescription) => Promise<{ run: RunRecord } | null>,
): Promise<RunSnapshot> {
  const stuck = isOpen(run) ? await readStuckTask(temporal.client, run).catch(() => null) : null;
  const [end, view] = await Promise.all([
    isOpen(run) ? null : readEnd(temporal, run),
    // A task that fails answers no query either.
    stuck === null ? readView(temporal, run) : null,
  ]);
  const kept = view === null ? ((await find(run))?.run ?? null) : null;
  const snapshot = { ...snapshotOf({ run, view, end, kept }), stuck };
  for (const gate of snapshot.gates) {
    const input = await gateInput(temporal, run.workflowId, gate);
    if (input !== null) snapshot.inputs[gate.id] = input;
  }
  return snapshot;
}

async function readView(temporal: Temporal, run: RunDescription): Promise<RunView | null> {
  if (!(await mayBeServed(temporal, run.taskQueue))) return null;
  const part = { id: run.workflowId, runId: run.runId, timeoutMs: QUERY_TIMEOUT_MS };
  // Whatever keeps a worker from answering, the server's own knowledge is what there is.
  return askRun(temporal, part, stateQuery).catch(() => null);
}

/** Where the parts of a run are: with the server, or in the store alone. */
type Parts =
  | { run: RunDescription; view: RunView | null; end: RunEnd | null; kept: RunRecord | null }
  | { run?: undefined; view?: undefined; end?: undefined; kept: RunRecord };

/** Puts together what worker, result, server and store tell, each where those before it are silent. Pure. */
export function snapshotOf({ run, view = null, end = null, kept }: Parts): RunSnapshot {
  const result: RunResult | null = end?.result ?? null;
  const rest = kept?.rest;
  const memo = (name: string) => (typeof run?.memo?.[name] === 'string' ? run.memo[name] : null);
  const hasEnded = end !== null || (run === undefined && kept.ended);
  return {
    ...(run === undefined ? asKept(kept) : asServed(run)),
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
    model: view?.model ?? null,
    switches: view?.switches ?? [],
    readers: view?.readers ?? [],
    tasks: view?.tasks ?? result?.tasks ?? rest?.tasks ?? [],
    checks: view?.checks ?? result?.checks ?? rest?.checks ?? [],
    artifacts: view?.artifacts ?? result?.artifacts ?? rest?.artifacts ?? [],
    children: view?.children ?? result?.children ?? rest?.children ?? [],
    counters: view?.counters ?? result?.counters ?? rest?.counters ?? null,
    limits: view?.limits ?? null,
    usage: view?.usage ?? result?.usage ?? kept?.usage ?? null,
    usageBy: view?.usageBy ?? result?.usageBy ?? rest?.usageBy ?? [],
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

function asServed(run: RunDescription) {
  const { workflowId: id, runId, status } = run;
  return { id, runId, status: status.name.toLowerCase(), ...timesOf(run) };
}

function asKept({ workflowId: id, runId, startedAt, changedAt }: RunRecord) {
  const iso = (at: number) => new Date(at).toISOString();
  return { id, runId, status: FORGOTTEN, startedAt: iso(startedAt), endedAt: iso(changedAt) };
}

/** A run that is kept open has answered its last goal already. */
function lastAnswer(view: RunView | null): string | null {
  return view?.phase === 'idle' ? (view.goals.at(-1)?.answer ?? null) : null;
}
