/** A run that Temporal knows no more, as the store has it: as it stood when the store was told last. */
import { childId } from '../../core/agents/children.js';
import type { RunRecord } from '../../core/state/kept.js';
import { type TraceReport, traceOf } from '../../core/state/trace.js';
import type { SessionStore } from '../../shared/store/store.js';
import type { RunResult } from '../../workflows/messages.js';
import { keptEvents, keptRun, keptSteps } from '../kept/kept-runs.js';
import { asToldAbove } from '../watch/child-watches.js';
import type { RunEvent } from '../watch/run-event.js';
import type { WatchOptions } from '../watch/watch-run.js';
import type { RunEnd } from './run-end.js';
import type { RunSnapshot } from './run-snapshot.js';

/** Status of such a run. */
const FORGOTTEN = 'forgotten';

/** What a run has left before its first goal has ended. */
const NO_REST = {
  ...{ basis: null, exceptions: [], goals: [], tasks: [], checks: [], artifacts: [], children: [] },
  ...{ usageBy: [], counters: null },
};

export function keptSnapshot(kept: RunRecord): RunSnapshot {
  const { workflowId, runId, outcome, cause, mode, goal, workspace, usage, answer, ended } = kept;
  const iso = (at: number) => new Date(at).toISOString();
  return {
    ...{ id: workflowId, runId, status: FORGOTTEN, outcome, cause, mode, goal, workspace, usage, answer },
    ...{ startedAt: iso(kept.startedAt), endedAt: iso(kept.changedAt), phase: ended ? 'ended' : null },
    ...(kept.rest ?? NO_REST),
    ...{ failure: null, modeWhy: null, model: null, switches: [], readers: [], limits: null, budget: null },
    ...{ paused: false, pausedAgents: [], stopping: false, gates: [], inputs: {}, inbox: null },
    ...{ threads: null, lastEventSeq: kept.kept.seq, stuck: null, answered: false, unreadable: [] },
  };
}

/** Without a result where the store has none: the run was terminated in a goal, or lost with its server. */
export async function keptEnd(store: SessionStore, kept: RunRecord): Promise<RunEnd> {
  const { workflowId: id, runId, outcome, cause, rest } = kept;
  const result = await keptResult(store, kept);
  const message = 'Temporal knows it no more, and the store has no result of it';
  return {
    ...{ id, runId, status: FORGOTTEN, outcome, cause, basis: rest?.basis ?? null, result },
    failure: result ? null : { type: FORGOTTEN, message },
  };
}

async function keptResult(store: SessionStore, kept: RunRecord): Promise<RunResult | null> {
  const { workflowId: id, outcome, cause, answer, mode, goal, usage, rest } = kept;
  if (!kept.ended || outcome === null || cause === null || rest === undefined) return null;
  const trace = await keptTrace(store, kept);
  return { id, outcome, cause, text: answer ?? '', mode, goal, usage, ...rest, trace };
}

export async function keptTrace(store: SessionStore, kept: RunRecord): Promise<TraceReport> {
  const { outcome, usage, answer, startedAt, changedAt } = kept;
  return {
    ...traceOf(await keptSteps(store, kept)),
    ...{ finalAnswer: answer, finishReason: outcome, tokenUsage: usage, totalMs: changedAt - startedAt },
  };
}

/** Its events with those of its sub-agents, each before the end of that, and how it ended. */
export async function* toldAgain(
  store: SessionStore,
  kept: RunRecord,
  { since = 0, children = true }: WatchOptions,
): AsyncGenerator<RunEvent> {
  yield* journalOf(store, kept, { since, children });
  yield { type: 'end', end: await keptEnd(store, kept) };
}

async function* journalOf(
  store: SessionStore,
  kept: RunRecord,
  { since, children }: Required<Pick<WatchOptions, 'since' | 'children'>>,
): AsyncGenerator<RunEvent> {
  for (const event of await keptEvents(store, kept, since)) {
    if (children && event.type === 'subagent_ended') yield* journalOfChild(store, kept, event);
    yield event;
  }
}

async function* journalOfChild(
  store: SessionStore,
  above: RunRecord,
  { id, role: agent }: { id: string; role: string },
): AsyncGenerator<RunEvent> {
  const kept = await keptRun(store, childId(above.workflowId, id));
  if (!kept) return;
  for await (const event of journalOf(store, kept, { since: 0, children: true })) {
    const told = asToldAbove({ id, agent }, event);
    if (told) yield told;
  }
}
