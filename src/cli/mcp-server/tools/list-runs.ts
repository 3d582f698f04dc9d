/** `list_runs`: runs, newest first. */
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
import type { ListedRun } from '../../../client/index.js';
import { addTool, type ToolContext } from '../tool.js';
import { rootsOf } from '../workspace.js';

const input = z.strictObject({
  open: z.boolean().default(false).describe('Only runs that have not ended.'),
  waiting: z.boolean().default(false).describe('Only runs that wait for an answer at a gate.'),
  goal: z.string().optional().describe('Only runs with this text in their goal.'),
  limit: z.int().min(1).max(100).default(20).describe('At most so many.'),
});

const runShape = z.object({
  id: z.string(),
  status: z.string().describe("Temporal's: running, completed, failed, canceled, terminated, timed_out."),
  phase: z.string().nullable(),
  waiting: z.string().nullable().describe('The gate that it waits at.'),
  outcome: z
    .string()
    .nullable()
    .describe(
      'completed (verified), answered (in a mode that verifies nothing), unverified, budget_exhausted, stopped, failed or cancelled.',
    ),
  goal: z.string().nullable().describe('Its first words.'),
  startedAt: z.string().describe('ISO 8601.'),
  endedAt: z.string().nullable(),
  stuck: z.string().nullable().describe('Why it goes no further, where its worker fails again and again.'),
});

const output = z.object({ runs: z.array(runShape) });

export function addListRuns(server: McpServer, context: ToolContext): void {
  addTool(server, context, {
    name: 'list_runs',
    title: 'List runs',
    description:
      'List the runs of the folders that this server was started for, open ones first, each kind newest first: also those that earlier sessions and other programs started there.',
    input,
    output,
    annotations: { readOnlyHint: true, openWorldHint: false },
    run: async ({ goal, ...wanted }) => {
      const client = await context.client.get();
      const workspaces = rootsOf(context.workspaces);
      const runs: z.input<typeof runShape>[] = [];
      for await (const run of client.list({ ...wanted, workspaces, ...(goal === undefined ? {} : { goal }) }))
        runs.push(listed(run));
      return { runs };
    },
  });
}

function listed(run: ListedRun): z.input<typeof runShape> {
  const { id, status, phase, waiting, outcome, goal, startedAt, endedAt, stuck } = run;
  return { id, status, phase, waiting, outcome, goal, startedAt, endedAt, stuck: stuck?.what ?? null };
}
