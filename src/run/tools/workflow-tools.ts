/**
 * Tools that a run carries out itself, as data. Only a role that names them has them: `*` means what others offer.
 * The one that asks the person is every role's that works with tools and answers in text.
 */

import type { JsonSchema } from '../../base/json/json.js';
import { matchesAny } from '../../base/text/glob.js';
import type { OutputContract } from '../outputs/contracts.js';
import {
  type ClientTool,
  DEFAULT_TOOL_POLICY,
  RECALL,
  type ToolDefinition,
  type ToolPolicy,
} from './tool.js';

/** Nothing outside the run changes, so nobody is asked; what they say is of the moment, so it is never reused. */
export const WITHIN_THE_RUN: ToolPolicy = {
  ...DEFAULT_TOOL_POLICY,
  readOnly: true,
  idempotent: true,
  destructive: false,
  cache: 'none',
};

const ID: JsonSchema = {
  type: 'string',
  minLength: 1,
  maxLength: 64,
  description: 'Letters, digits, dots, dashes and underscores, such as "research_report" or "main.py".',
};
const EXPECTED_VERSION: JsonSchema = {
  type: 'integer',
  minimum: 1,
  description: 'The version that was read last: nothing is changed where the artifact is at another.',
};

/** Asks the person who attends the run: its result is what they say. */
export const ASK_PERSON = 'ask_person';

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
  create_artifact: {
    description:
      'Creates an artifact: a named text that this run keeps beside the conversation, such as a report, code or a plan. It is no file of the workspace. ' +
      'The id "task_plan" is for the plan of the work, with the type "task_plan".',
    inputSchema: object(
      {
        id: ID,
        type: { type: 'string', minLength: 1, maxLength: 40, description: 'Such as "markdown" or "python".' },
        title: { type: 'string', maxLength: 100, description: 'For people. Default: the id.' },
        content: { type: 'string' },
      },
      ['title'],
    ),
  },
  update_artifact: {
    description:
      'Replaces a text in an artifact by another. "oldText" must stand in it exactly once, as it is written.',
    inputSchema: object(
      {
        id: ID,
        oldText: { type: 'string', minLength: 1 },
        newText: { type: 'string' },
        expectedVersion: EXPECTED_VERSION,
      },
      ['expectedVersion'],
    ),
  },
  rewrite_artifact: {
    description: 'Replaces the whole content of an artifact.',
    inputSchema: object(
      {
        id: ID,
        content: { type: 'string' },
        title: { type: 'string', maxLength: 100, description: 'Default: as it was.' },
        expectedVersion: EXPECTED_VERSION,
      },
      ['title', 'expectedVersion'],
    ),
  },
  read_artifact: {
    description: 'Reads an artifact, a page at a time: go on with the offset that the last page names.',
    inputSchema: object(
      {
        id: ID,
        version: { type: 'integer', minimum: 1, description: 'Default: the latest.' },
        offset: { type: 'integer', minimum: 0, description: 'First byte to read. Default 0.' },
      },
      ['version', 'offset'],
    ),
  },
  list_artifacts: {
    description: 'Lists the artifacts of this run: id, type, title, version and size of each.',
    inputSchema: object({}),
  },
  [ASK_PERSON]: {
    description: 'Asks the person what only they can decide or know. They may also answer otherwise.',
    inputSchema: {
      type: 'object',
      properties: { question: { type: 'string' }, options: { type: 'array', items: { type: 'string' } } },
      required: ['question'],
    },
    policy: WITHIN_THE_RUN,
  },
} satisfies Record<string, Pick<ToolDefinition, 'description' | 'inputSchema'> & { policy?: ToolPolicy }>;

export type WorkflowToolName = Exclude<keyof typeof DEFINITIONS, typeof ASK_PERSON>;

const WORKFLOW_TOOLS: readonly ToolDefinition[] = Object.entries(DEFINITIONS).map(([name, rest]) => ({
  name,
  serverToolName: name,
  origin: { type: 'workflow' },
  validation: 'strict',
  policy: WITHIN_THE_RUN,
  ...rest,
}));

/** Whether a tool is among the globs of a role: one of the run itself is not by the bare `*`. */
export function isNamed(
  { name, origin }: Pick<ToolDefinition, 'name' | 'origin'>,
  globs: readonly string[],
): boolean {
  return matchesAny(name, origin.type === 'workflow' ? globs.filter(glob => glob !== '*') : globs);
}

/** What of a role says which tools it is offered. */
export interface ToolChoice {
  tools: readonly string[];
  readOnly?: boolean;
  output?: OutputContract;
}

/** Whether the run offers a tool to a role. One whose reply has a form asks by that; one without tools stays so. */
export function isOffered(
  tool: Pick<ToolDefinition, 'name' | 'origin' | 'policy'>,
  { tools, output, readOnly }: ToolChoice,
): boolean {
  const mayAsk = isAskPerson(tool) && output === 'text' && tools.some(name => name !== RECALL);
  return (mayAsk || isNamed(tool, tools)) && (tool.policy.readOnly || readOnly !== true);
}

export function isAskPerson({ name, origin }: Pick<ToolDefinition, 'name' | 'origin'>): boolean {
  return origin.type === 'workflow' && name === ASK_PERSON;
}

export function namesOwnTool(glob: string): boolean {
  return WORKFLOW_TOOLS.some(tool => isNamed(tool, [glob]));
}

/** Whether a call of it changes an artifact: nothing outside the run, and yet something that a task may be about. */
export function writesArtifact({ name, origin }: Pick<ToolDefinition, 'name' | 'origin'>): boolean {
  return origin.type === 'workflow' && /^(create|update|rewrite)_artifact$/.test(name);
}

/** Adds those that one of the roles is offered; a name that a server or the client has already stays theirs, with a warning. */
export function addWorkflowTools(
  tools: readonly ToolDefinition[],
  roles: readonly ToolChoice[],
): { tools: ToolDefinition[]; warnings: string[] } {
  const wanted = WORKFLOW_TOOLS.filter(tool => roles.some(role => isOffered(tool, role)));
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

// Tools of the client (T8, T10): servers go first.

/** Adds the client's tools, but those whose name a server has: which is meant could not be told apart. */
export function mergeClientTools(
  tools: readonly ToolDefinition[],
  clientTools: readonly ClientTool[],
  offeredName: (name: string) => string = name => name,
): { tools: ToolDefinition[]; warnings: string[] } {
  const names = new Set(tools.map(tool => tool.name));
  const merged = [...tools];
  const warnings: string[] = [];
  for (const { name, description, inputSchema } of clientTools) {
    if (names.has(name)) {
      warnings.push(`The client's tool ${name} is left out: there is a tool of this name already.`);
      continue;
    }
    names.add(name);
    merged.push({
      name: offeredName(name),
      serverToolName: name,
      origin: { type: 'client' },
      description,
      inputSchema,
      validation: 'strict',
      // The client knows what its tools do and asks its own user: the run does not ask again.
      policy: { ...DEFAULT_TOOL_POLICY, cache: 'none' },
    });
  }
  return { tools: merged, warnings };
}
