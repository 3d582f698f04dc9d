/** Workflows that an application has, offered to runs as tools: a run starts one as its child. */
import type { z } from 'zod';
import type { JsonSchema } from '../../base/json/json.js';
import { argumentsOf, checkToolName, type ToolOptions } from '../../mcp/tools/code-tools.js';
import { WORKFLOW_TYPE } from '../../run/agents/run-config.js';
import { DEFAULT_TOOL_POLICY, type ToolDefinition, type ToolPolicy } from '../../run/tools/tool.js';
import { SteersmanError } from '../../shared/process/errors.js';

/** What is said of an activity or a workflow as a tool. */
export type Described = Pick<
  ToolOptions<z.ZodType | JsonSchema>,
  'description' | 'input' | 'readOnly' | 'idempotent'
>;

/** A workflow as a tool: it gets the arguments as its one parameter, and its result is the tool's. */
export interface WorkflowTool extends Described {
  /** Type of the workflow. */
  workflow: string;
  /** What models call it: letters, digits, `_` and `-`, at most 64. Default: `workflow`. */
  name?: string;
  /** Where it is served. Default: the queue of the run. */
  taskQueue?: string;
  /** How long it may take; `tools.<name>.timeoutMs` in `steersman.yaml` says otherwise. Default 600,000 (10 min). */
  timeoutMs?: number;
}

/** Ready to be listed and called. */
export interface ReadyCall {
  definition: ToolDefinition;
  /** Checks the arguments, and fills defaults in. @throws McpError for those that do not fit. */
  parse(args: unknown): unknown;
}

const DEFAULT_TIMEOUT_MS = 600_000;

/** @throws SteersmanError for a name that models could not call, what is no schema, and a run's own workflow. */
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

/** A tool that is neither a server's nor a function's. @throws SteersmanError as above. */
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
