/** Starts runs and reads what they cost. */
import { randomUUID } from 'node:crypto';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { childId } from '../../src/run/agents/children.js';
import { WORKFLOW_TYPE } from '../../src/run/agents/run-config.js';
import type { Cause } from '../../src/run/limits/cause.js';
import type { Limits } from '../../src/run/limits/limits.js';
import { COMPACTOR } from '../../src/run/limits/usage-by.js';
import type { Mode } from '../../src/run/position/modes.js';
import type { RunResult } from '../../src/workflows/run/definitions.js';
import type { Arena } from './arena.js';
import { callsOf, type RunShape } from './run-script.js';

/** Limits far above any run of a benchmark, so that none is reached. */
const LIMITS = { execution: 1_000, replies: 1_000, turns: 2_000, totalTurns: 5_000, tokens: 1_000_000_000 };

export async function startRun(
  { client, workspace, shape }: Pick<Arena, 'client' | 'workspace' | 'shape'>,
  taskQueue: string,
  limits: Partial<Limits> = {},
): Promise<WorkflowHandle> {
  const { mode = 'team' } = shape;
  const settings = { mode, workspace, autoApprove: false, limits: { ...LIMITS, ...limits } };
  return client.workflow.start(WORKFLOW_TYPE, {
    args: [{ goal: 'Say what the records show.', settings }],
    taskQueue,
    workflowId: `bench-${randomUUID().slice(0, 8)}`,
  });
}

/** Waits for a run and checks that it did all of its work, because figures of a broken run are worthless. */
export async function endOf(handle: WorkflowHandle, shape: RunShape): Promise<RunResult> {
  const result = (await handle.result()) as RunResult;
  const { cause, counters, usageBy } = result;
  const { mode = 'team', agents = 0 } = shape;
  const wanted = callsOf(shape);
  // A summary of a long conversation does not count as work.
  const work = usageBy.filter(({ role }) => role !== COMPACTOR);
  const model = work.reduce((sum, { calls }) => sum + calls, 0);
  // An agent's model calls also count as its caller's; its tool calls are only its own.
  const tool = mode === 'lead' ? wanted.tool + counters.toolCalls - agents : counters.toolCalls;
  if (cause !== (CAUSES[mode] ?? 'direct_answer') || model !== wanted.model || tool !== wanted.tool) {
    const got = `${cause}, ${model} model calls, ${tool} tool calls`;
    throw new Error(
      `${handle.workflowId} was to make ${wanted.model} model calls and ${wanted.tool} tool calls: ${got}`,
    );
  }
  return result;
}

/** The cause of a complete run, in modes that do not end with a direct answer. */
const CAUSES: Readonly<Partial<Record<Mode, Cause>>> = { team: 'verified', plan: 'carried_out' };

/** Returns the size of a run's history as the server counts it. */
export async function historyOf(client: Client, workflowId: string): Promise<HistorySize> {
  const { historySize, historyLength } = await client.workflow.getHandle(workflowId).describe();
  return { bytes: historySize ?? 0, events: historyLength };
}

/** Returns the size of its agents' histories in total. */
export async function historyOfAgents(
  client: Client,
  workflowId: string,
  { agents = 0 }: Pick<RunShape, 'agents'> = {},
): Promise<HistorySize> {
  const ids = Array.from({ length: agents }, (_, nth) => childId(workflowId, `search/${nth + 1}`));
  const sizes = await Promise.all(ids.map(id => historyOf(client, id)));
  const sum = (key: keyof HistorySize) => sizes.reduce((all, size) => all + size[key], 0);
  return { bytes: sum('bytes'), events: sum('events') };
}

/** Returns the milliseconds of each tool call from its scheduling to its result, by the run's own history. */
export async function toolTimesOf(handle: WorkflowHandle): Promise<number[]> {
  const events = (await handle.fetchHistory()).events ?? [];
  const at = (time: EventTime) => Number(time?.seconds ?? 0) * 1_000 + (time?.nanos ?? 0) / 1e6;
  const scheduled = new Map(
    events
      .filter(event => event.activityTaskScheduledEventAttributes?.activityType?.name === 'steersmanCallTool')
      .map(({ eventId, eventTime }) => [String(eventId), at(eventTime)]),
  );
  return events.flatMap(({ activityTaskCompletedEventAttributes: completed, eventTime }) => {
    const from = scheduled.get(String(completed?.scheduledEventId));
    return from === undefined ? [] : [at(eventTime) - from];
  });
}

type EventTime = { seconds?: unknown; nanos?: number | null } | null | undefined;

export interface HistorySize {
  bytes: number;
  events: number;
}
