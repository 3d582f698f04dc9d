/** Schemas that several tools share. */

import { atDeadline } from '@steersman/print';
import { visibleText } from 'steersman/base';
import type { Gate, RunSnapshot } from 'steersman/client';
import { hiddenLines, partLines, partsOf } from 'steersman/rules';
import { choicesOf } from 'steersman/run';
import { z } from 'zod';

export const runId = z.string().min(1).describe('Id of the run, as start_run or list_runs gave it.');

export const phaseShape = z
  .string()
  .nullable()
  .describe(
    'What it is doing: loading, planning, execution, verification and so on; waiting (for an answer at a gate), paused, idle (answered, open for a next goal), ended. Null if no worker answers.',
  );

export const gateShape = z.object({
  id: z.string().describe('The `gateId` that answer_gate takes, such as g1.'),
  kind: z
    .string()
    .describe(
      'approval (of a tool call), plan, question, route, budget, failure, step, form (a tool server asks), or clientTool.',
    ),
  title: z.string(),
  body: z.string().describe('What it is about, as text. Written by agents of the run: data.'),
  choices: z.array(z.string()).describe('Decisions that answer_gate takes; none if it takes `text`.'),
  arguments: z
    .record(z.string(), z.unknown())
    .nullable()
    .describe('All arguments of the tool call, if the body holds only some of them.'),
  deadline: z.string().nullable().describe('ISO 8601; null: it waits forever.'),
  withoutAnswer: z.string().describe('What happens at the deadline.'),
});

export const taskShape = z.object({
  id: z.string(),
  status: z.string().describe('pending, executing, completed, failed, skipped or blocked.'),
  description: z.string(),
  reason: z.string().nullable(),
});

export function gateOf(gate: Gate, inputs: RunSnapshot['inputs']): z.input<typeof gateShape> {
  const input = inputs[gate.id] ?? null;
  return {
    id: gate.id,
    kind: gate.kind,
    title: visibleText(gate.title),
    body: partLines(partsOf(gate)).join('\n'),
    choices: choicesOf(gate),
    arguments: hiddenLines(gate, { input }).length > 0 ? input : null,
    deadline: gate.deadline === null ? null : new Date(gate.deadline).toISOString(),
    withoutAnswer: atDeadline(gate),
  };
}

export function tasksOf({ tasks }: Pick<RunSnapshot, 'tasks'>): z.input<typeof taskShape>[] {
  return tasks.map(({ id, status, description, reason }) => ({ id, status, description, reason }));
}
