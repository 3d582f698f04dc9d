/** Offers an application's workflows as tools to runs: a run starts one as its child. */
import type { z } from 'zod';
import type { JsonSchema } from '../../base/json/json.js';
import { argumentsOf, checkToolName, type ToolOptions } from '../../mcp/tools/code-tools.js';
import { WORKFLOW_TYPE } from '../../run/agents/run-config.js';
import { DEFAULT_TOOL_POLICY, type ToolDefinition, type ToolPolicy } from '../../run/tools/tool.js';
import { SteersmanError } from '../../shared/process/errors.js';

/** The description of an activity or a workflow as a tool. */
export type Described = Pick<
  ToolOptions<z.ZodType | JsonSchema>,
  'description' | 'input' | 'readOnly' | 'idempotent'
>;

/** A workflow as a tool: it receives the arguments as its only parameter, and returns the tool's result. */
export interface WorkflowTool extends Described {
  /** Type of the workflow. */
  workflow: string;
  /** Name for models: letters, digits, `_` and `-`, at most 64. Default: `workflow`. */
  name?: string;
  /** Task queue that serves it. Default: the run's queue. */
  taskQueue?: string;
  /** Time limit in ms; `tools.<name>.timeoutMs` in `steersman.yaml` overrides it. Default 600,000 (10 min). */
  timeoutMs?: number;
}

/** A tool that is ready to be listed and called. */
export interface ReadyCall {
  definition: ToolDefinition;
  /** Checks the arguments and fills in defaults. @throws McpError if they do not fit. */
  parse(args: unknown): unknown;
}

const DEFAULT_TIMEOUT_MS = 600_000;

/** @throws SteersmanError for a name that models can't call, an invalid schema, or the workflow of runs itself. */
export function readyWorkflowTools(tools: readonly WorkflowTool[]): ReadyCall[] {
  return tools.map(({ workflow, name = workflow, taskQueue, timeoutMs = DEFAULT_TIMEOUT_MS, ...tool }) => {
    if (workflow === WORKFLOW_TYPE)
      throw new SteersmanError(
        `workflowTools: ${name} is a run itself.`,
        'A role that names call_subagent has sub-agents: docs/prompts.md.',
      );
    const origin = {
      type: 'child_workflow',
      workflow,
      ...(taskQueue !== undefined && { taskQueue }),
    } as const;
    return readyCall(tool, { name, origin, timeoutMs });
  });
}

/** Defines a tool that is neither a server's nor a function. @throws SteersmanError as above. */
export function readyCall(
  { description, input, readOnly = false, idempotent = readOnly }: Described,
  { name, origin, ...policy }: Pick<ToolDefinition, 'name' | 'origin'> & Partial<ToolPolicy>,
): ReadyCall {
  checkToolName(name);
  const { inputSchema, parse } = argumentsOf(name, input);
  const effect = { readOnly, idempotent: readOnly || idempotent, destructive: !readOnly };
  const definition: ToolDefinition = {
    name,
    serverToolName: name,
    origin,
    description,
    inputSchema,
    validation: 'strict',
    policy: { ...DEFAULT_TOOL_POLICY, ...effect, ...policy },
  };
  return { definition, parse };
}
