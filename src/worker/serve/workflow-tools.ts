/** Workflows that an application has, offered to runs as tools: a run starts one as its child. */
import type { z } from 'zod';
import { DEFAULT_TOOL_POLICY, type JsonSchema, type ToolDefinition } from '../../core/tools/tool.js';
import { argumentsOf, checkToolName, type ToolOptions } from '../../mcp/code-tools.js';
import { SteersmanError } from '../../shared/errors.js';
import { WORKFLOW_TYPE } from '../../workflows/messages.js';

/** A workflow as a tool: it gets the arguments as its one parameter, and its result is the tool's. */
export interface WorkflowTool
  extends Pick<ToolOptions<z.ZodType | JsonSchema>, 'description' | 'input' | 'readOnly' | 'idempotent'> {
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
export interface ReadyWorkflowTool {
  definition: ToolDefinition;
  /** Checks the arguments, and fills defaults in. @throws McpError for those that do not fit. */
  parse(args: unknown): unknown;
}

const DEFAULT_TIMEOUT_MS = 600_000;

/** @throws SteersmanError for a name that models could not call, what is no schema, and a run's own workflow. */
export function readyWorkflowTools(tools: readonly WorkflowTool[]): ReadyWorkflowTool[] {
  return tools.map(readyTool);
}

function readyTool({
  workflow,
  name = workflow,
  taskQueue,
  description,
  input,
  readOnly = false,
  idempotent = readOnly,
  timeoutMs = DEFAULT_TIMEOUT_MS,
}: WorkflowTool): ReadyWorkflowTool {
  checkToolName(name);
  if (workflow === WORKFLOW_TYPE)
    throw new SteersmanError(
      `workflowTools: ${name} is a run itself.`,
      'A role that names call_subagent has sub-agents: docs/prompts.md.',
    );
  const { inputSchema, parse } = argumentsOf(name, input);
  const policy = { readOnly, idempotent: readOnly || idempotent, destructive: !readOnly, timeoutMs };
  const definition: ToolDefinition = {
    name,
    serverToolName: name,
    origin: { type: 'child_workflow', workflow, ...(taskQueue === undefined ? {} : { taskQueue }) },
    description,
    inputSchema,
    validation: 'strict',
    policy: { ...DEFAULT_TOOL_POLICY, ...policy },
  };
  return { definition, parse };
}
