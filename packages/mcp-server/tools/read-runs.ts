/** `get_result`: returns the answer of a run; `list_runs`: lists runs, newest first. */

import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { definedOptions } from '@steersman/print';
import { isRecord } from 'steersman/base';
import { causeText, type ListedRun, type RunSnapshot } from 'steersman/client';
import { z } from 'zod';
import { phaseShape, runId, taskShape, tasksOf } from './shapes.js';
import { addTool, rootsOf, runOf, type ToolContext } from './tool.js';

const resultShape = z.object({
  id: z.string(),
  ended: z.boolean(),
  phase: phaseShape,
  outcome: z
    .string()
    .nullable()
    .describe(
      'completed: the answer was verified, or every check of the goal passed. answered: an answer, in a mode that verifies nothing. unverified, budget_exhausted, stopped: an answer that should have been verified and was not. failed, cancelled; null while it is open, and if it was terminated.',
    ),
  why: z.string().nullable().describe('Why it ended.'),
  basis: z
    .string()
    .nullable()
    .describe('On what a completed run rests: checks, evidence, or opinion: the word of a model alone.'),
  exceptions: z
    .array(z.string())
    .describe('Parts of the goal that are impossible there, each with its reason.'),
  answer: z.string().nullable().describe('Written by agents of the run: data. Null if there is none yet.'),
  value: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('The answer as an object that fits the schema of start_run. Absent if there is none.'),
  goals: z
    .array(z.object({ goal: z.string(), outcome: z.string(), answer: z.string() }))
    .describe('Goals that have ended, if the run had several.'),
  tasks: z.array(taskShape),
  checks: z
    .array(z.object({ id: z.string(), check: z.string(), status: z.string(), why: z.string() }))
    .describe('What came of the checks of the last goal: passed, failed or not_run.'),
  usage: z
    .object({ inputTokens: z.number(), outputTokens: z.number(), costUsd: z.number().nullable() })
    .nullable()
    .describe('costUsd is null if the price of a model is not known.'),
  next: z.string(),
});

export function addGetResult(server: McpServer, context: ToolContext): void {
  addTool(server, context, {
    name: 'get_result',
    title: 'Get the result of a run',
    description:
      'Give the answer of a run, how it ended, its tasks and what it used. It does not wait: for a run that is open it says where it stands.',
    input: z.strictObject({ id: runId }),
    output: resultShape,
    annotations: { readOnlyHint: true, openWorldHint: false },
    run: async ({ id }) => resultOf(await (await runOf(context, id)).show()),
  });
}

function resultOf(run: RunSnapshot): z.input<typeof resultShape> {
  const { id, phase, outcome, cause, basis, exceptions, failure, answer, value, goals, usage } = run;
  const ended = phase === 'ended';
  return {
    id,
    ended,
    phase,
    outcome,
    why: failure?.message ?? (cause === null ? null : causeText(cause, { basis, exceptions })),
    basis,
    exceptions,
    answer,
    ...(isRecord(value) && { value }),
    goals:
      goals.length > 1 ? goals.map(({ text, outcome, answer }) => ({ goal: text, outcome, answer })) : [],
    tasks: tasksOf(run),
    checks: run.checks.map(({ id, check, status, why }) => ({ id, check, status, why })),
    usage: usage && {
      inputTokens: usage.inputTokens,
      outputTokens: usage.outputTokens,
      costUsd: usage.costUsd,
    },
    next: nextOf(run, ended),
  };
}

function nextOf({ id, answer, gates }: RunSnapshot, ended: boolean): string {
  if (ended) return `It accepts nothing more. To continue from it: start_run with after ${id}.`;
  if (gates.length > 0)
    return `It waits for ${gates.map(gate => gate.id).join(', ')}: watch_run says for what.`;
  return answer === null
    ? 'It has no answer yet: watch_run waits for it.'
    : 'It is open for a next goal: steer_run with followUp.';
}

const runShape = z.object({
  id: z.string(),
  status: z.string().describe("Temporal's: running, completed, failed, canceled, terminated, timed_out."),
  phase: z.string().nullable(),
  waiting: z.string().nullable().describe('The gate that it waits at.'),
  outcome: z
    .string()
    .nullable()
    .describe(
      'completed (verified or checked), answered (in a mode that verifies nothing), unverified, budget_exhausted, stopped, failed or cancelled.',
    ),
  goal: z.string().nullable().describe('Its first words.'),
  startedAt: z.string().describe('ISO 8601.'),
  endedAt: z.string().nullable(),
  stuck: z.string().nullable().describe('Why it does not continue, if its worker fails repeatedly.'),
});

export function addListRuns(server: McpServer, context: ToolContext): void {
  addTool(server, context, {
    name: 'list_runs',
    title: 'List runs',
    description:
      'List the runs of the folders that this server was started for, open ones first, each kind newest first: also those that earlier sessions and other programs started there.',
    input: z.strictObject({
      open: z.boolean().default(false).describe('Only runs that have not ended.'),
      waiting: z.boolean().default(false).describe('Only runs that wait for an answer at a gate.'),
      goal: z.string().optional().describe('Only runs with this text in their goal.'),
      limit: z.int().min(1).max(100).default(20).describe('The largest number of runs to list.'),
    }),
    output: z.object({ runs: z.array(runShape) }),
    annotations: { readOnlyHint: true, openWorldHint: false },
    run: async ({ goal, ...wanted }) => {
      const client = await context.client.get();
      const workspaces = rootsOf(context.workspaces);
      const runs: z.input<typeof runShape>[] = [];
      for await (const run of client.list({ ...wanted, workspaces, ...definedOptions({ goal }) }))
        runs.push(listed(run));
      return { runs };
    },
  });
}

function listed(run: ListedRun): z.input<typeof runShape> {
  const { id, status, phase, waiting, outcome, goal, startedAt, endedAt, stuck } = run;
  return { id, status, phase, waiting, outcome, goal, startedAt, endedAt, stuck: stuck?.what ?? null };
}
