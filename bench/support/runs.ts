/** Starting runs and reading what they cost. */
import { randomUUID } from 'node:crypto';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { type RunResult, WORKFLOW_TYPE } from '../../src/workflows/messages.js';
import type { Arena } from './arena.js';
import { callsOf, type PlanShape } from './plan-script.js';

/** Caps far above any plan of a benchmark: they measure a turn, not a limit. */
const LIMITS = { execution: 1_000, turns: 2_000, totalTurns: 5_000, tokens: 100_000_000 };

export async function startRun(arena: Arena, taskQueue: string): Promise<WorkflowHandle> {
  const settings = { mode: 'team', workspace: arena.workspace, autoApprove: false, limits: LIMITS };
  return arena.client.workflow.start(WORKFLOW_TYPE, {
    args: [{ goal: 'Say what the records show.', settings }],
    taskQueue,
    workflowId: `bench-${randomUUID().slice(0, 8)}`,
  });
}

/** Waits for a run and makes sure that it did all its work: a benchmark of a broken run is worthless. */
export async function endOf(handle: WorkflowHandle, shape: PlanShape): Promise<void> {
  const { outcome, counters } = (await handle.result()) as RunResult;
  const { model, tool } = callsOf(shape);
  if (outcome !== 'completed' || counters.turns !== model || counters.toolCalls !== tool) {
    const got = `${outcome}, ${counters.turns} turns, ${counters.toolCalls} tool calls`;
    throw new Error(`${handle.workflowId} was to make ${model} turns and ${tool} tool calls: ${got}`);
  }
}

/** What the server counts of a run's history. */
export async function historyOf(
  client: Client,
  workflowId: string,
): Promise<{ bytes: number; events: number }> {
  const { historySize, historyLength } = await client.workflow.getHandle(workflowId).describe();
  return { bytes: historySize ?? 0, events: historyLength };
}
