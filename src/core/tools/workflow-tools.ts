/**
 * Tools that a run carries out itself, as data: definitions here, what they do in `workflows/turn/workflow-tools.ts`.
 * Only a role that names them has them: `tools: ['*']` means what servers, client and program offer.
 */
import { matchesAny } from './glob.js';
import type { JsonSchema, ToolDefinition, ToolPolicy } from './tool.js';
import { DEFAULT_TOOL_POLICY } from './tool.js';

/** Nothing outside the run changes, so nobody is asked; what they say is of the moment, so it is never reused. */
const WITHIN_THE_RUN: ToolPolicy = {
  ...DEFAULT_TOOL_POLICY,
  readOnly: true,
  idempotent: true,
  destructive: false,
  cache: 'none',
};

const DEFINITIONS = {
  call_subagent: {
    description:
      'Gives a piece of the work to one of your agents, which does it in a conversation of its own, and returns its text. It sees nothing of this conversation: the instruction must stand alone.',
    inputSchema: object({
      agent_name: { type: 'string', description: 'Name of the agent, as the list of your agents has it.' },
      instruction: {
        type: 'string',
        description: 'What it is to do and to return, with every name, date, path and URL that it needs.',
      },
    }),
    // What it calls is decided upon where it calls it.
    policy: { ...WITHIN_THE_RUN, concurrent: true },
  },
  list_artifacts: {
    description: 'Lists the artifacts of this run: id, type, title, version and size of each.',
    inputSchema: object({}),
    policy: WITHIN_THE_RUN,
  },
} satisfies Record<string, Pick<ToolDefinition, 'description' | 'inputSchema' | 'policy'>>;

export type WorkflowToolName = keyof typeof DEFINITIONS;

const WORKFLOW_TOOLS: readonly ToolDefinition[] = Object.entries(DEFINITIONS).map(([name, rest]) => ({
  name,
  serverToolName: name,
  origin: { type: 'workflow' },
  validation: 'strict',
  ...rest,
}));

/** Whether a tool is among the globs of a role: one of the run itself is not by the bare `*`. */
export function isNamed(
  { name, origin }: Pick<ToolDefinition, 'name' | 'origin'>,
  globs: readonly string[],
): boolean {
  return matchesAny(name, origin.type === 'workflow' ? globs.filter(glob => glob !== '*') : globs);
}

/** Adds those that one of the roles names; a name that a server or the client has already stays theirs, with a warning. */
export function addWorkflowTools(
  tools: readonly ToolDefinition[],
  roles: readonly { tools: readonly string[] }[],
): { tools: ToolDefinition[]; warnings: string[] } {
  const wanted = WORKFLOW_TOOLS.filter(tool => roles.some(role => isNamed(tool, role.tools)));
  const [taken, free] = [true, false].map(isTaken =>
    wanted.filter(({ name }) => tools.some(tool => tool.name === name) === isTaken),
  );
  const warnings = (taken ?? []).map(
    ({ name }) => `Steersman's own tool ${name} is left out: there is a tool of this name already.`,
  );
  return { tools: [...tools, ...(free ?? [])], warnings };
}

/** The schema of arguments: all of them required but those named in `optional`. */
function object(properties: Record<string, JsonSchema>, optional: readonly string[] = []): JsonSchema {
  const required = Object.keys(properties).filter(name => !optional.includes(name));
  return { type: 'object', properties, required, additionalProperties: false };
}
