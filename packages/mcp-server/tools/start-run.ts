/** `start_run`: starts a durable run for a goal. */

import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { definedOptions } from '@steersman/print';
import { type Check, DEFAULT_LIMITS, type Limits, STEP_FAILURE_POLICIES } from 'steersman/client';
import { DEFAULT_MODE, MODES_HELP } from 'steersman/run';
import { z } from 'zod';
import { addTool, runOf, type ToolContext, workspaceIn } from './tool.js';

const input = z.strictObject({
  goal: z
    .string()
    .describe(
      'What the team should do, with all it has to know: it sees the workspace, and nothing of this conversation.',
    ),
  workspace: z
    .string()
    .optional()
    .describe(
      'Folder that the tools of the run work in: absolute, or relative to the default. Default: the folder that the server was started for.',
    ),
  id: z
    .string()
    .optional()
    .describe(
      'Id of the run, 1 to 200 characters without spaces. There is never a second run of an id: give one to make a repeated call harmless. Default: made from the goal.',
    ),
  mode: z.string().optional().describe(`How the goal is pursued: ${MODES_HELP}. Default ${DEFAULT_MODE}.`),
  role: z
    .string()
    .optional()
    .describe('The role that works on the goal, by its file in prompts/core. Then the mode is react.'),
  model: z
    .string()
    .optional()
    .describe(
      'endpoint/model of every role. Leave it out, so that the configuration decides, unless the user named one.',
    ),
  configuration: z
    .string()
    .optional()
    .describe('Name of a choice of models in steersman.yaml, such as cheap. Not together with `model`.'),
  temperature: z
    .number()
    .min(0)
    .max(2)
    .optional()
    .describe("For every role. Default: the role's, else the endpoint's own."),
  maxOutputTokens: z
    .int()
    .min(1)
    .optional()
    .describe("Tokens of one reply, for every role. Default: the role's, else 16384, or 8192 for decisions."),
  attended: z
    .boolean()
    .default(true)
    .describe(
      'Gates (tool calls that change something, questions) wait for answer_gate. False: what would be asked is refused at once, and the run goes on without it.',
    ),
  approvePlan: z
    .boolean()
    .optional()
    .describe(
      'The plan waits at a gate before it is carried out. Needs `attended`. Default: in the mode plan.',
    ),
  projectNotes: z
    .boolean()
    .optional()
    .describe(
      'The AGENTS.md of the workspace is told to the roles, as information about the project. Default: as steersman.yaml says, else false.',
    ),
  onStepFailure: z
    .enum(STEP_FAILURE_POLICIES)
    .optional()
    .describe(
      'In the mode plan, when a task has failed: skip goes on with what does not wait for it, abort sums up, replan mends the plan, ask asks at a gate. Default: as configured, else skip.',
    ),
  autoApprove: z
    .boolean()
    .default(false)
    .describe(
      'Every tool call of the run is allowed without asking, those that change or delete things too. Only if the user said so.',
    ),
  keepOpenSeconds: z
    .int()
    .min(0)
    .optional()
    .describe('How long the run stays open for a next goal (steer_run) after an answer. Default 0.'),
  limits: z
    .record(z.string(), z.number().nullable())
    .optional()
    .describe(`Caps of this run by name: ${Object.keys(DEFAULT_LIMITS).join(', ')}.`),
  checks: z
    .array(z.record(z.string(), z.unknown()))
    .optional()
    .describe(
      'What the goal must pass before it counts as completed, whatever its agents say: { "run": "npm test" }, { "file": "report.md", "matches": "regular expression" }, { "tool": "name", "arguments": {}, "matches": "…" }. Commands run in the workspace without asking: only those that the user wants.',
    ),
  answer: z
    .record(z.string(), z.unknown())
    .optional()
    .describe(
      'JSON Schema of an object that the answer must fit: get_result then has it as `value`. Without a value that fits no goal is completed or answered.',
    ),
  after: z.string().optional().describe('Id of a run that has ended: this one knows its goals and answers.'),
});

const output = z.object({
  id: z.string(),
  webUi: z.string().nullable().describe('Page of the run for the user, if there is one.'),
  workspace: z.string(),
  next: z.string(),
});

const description = `Start a durable run: a team of agents plans the goal, works on it with tools in a workspace, verifies its work and answers. Returns at once; the run goes on by itself, whatever becomes of this session. Follow it with watch_run, and read its answer with get_result. For work of minutes to hours that can be done apart from this conversation.`;

export function addStartRun(server: McpServer, context: ToolContext): void {
  addTool(server, context, {
    name: 'start_run',
    title: 'Start a run',
    description,
    input,
    output,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    run: async ({ goal, workspace: wanted, limits, checks, ...options }) => {
      const workspace = workspaceIn(context.workspaces, wanted);
      if (options.after !== undefined) await runOf(context, options.after);
      const client = await context.client.get();
      const run = await client.start(goal, {
        workspace,
        // Names and values are validated with the other options of the start.
        ...definedOptions({
          ...options,
          limits: limits as Partial<Limits>,
          checks: checks as Check[],
          configDir: context.configDir,
        }),
      });
      return { id: run.id, webUi: run.webUi, workspace, next: `Follow it: watch_run with id ${run.id}.` };
    },
  });
}
