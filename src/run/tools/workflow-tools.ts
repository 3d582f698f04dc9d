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

/** Asks the person who attends the run: its result is what they say. */
export const ASK_PERSON = 'ask_person';

type OwnTool = Pick<ToolDefinition, 'description' | 'inputSchema'> & { policy?: ToolPolicy };

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
  [ASK_PERSON]: {
    description: 'Asks the person what only they can decide or know. They may also answer otherwise.',
    inputSchema: {
      type: 'object',
      properties: { question: { type: 'string' }, options: { type: 'array', items: { type: 'string' } } },
      required: ['question'],
    },
    policy: WITHIN_THE_RUN,
  },
} satisfies Record<string, OwnTool>;

/** Definitions of tools that a run carries out itself. */
export function ownTools(definitions: Readonly<Record<string, OwnTool>>): ToolDefinition[] {
  return Object.entries(definitions).map(([name, rest]) => ({
    name,
    serverToolName: name,
    origin: { type: 'workflow' },
    validation: 'strict',
    policy: WITHIN_THE_RUN,
    ...rest,
  }));
}

/** The tools of runs, with those of features in between: endpoints have this order in their caches. */
export function ownToolsWith(ofFeatures: readonly ToolDefinition[]): readonly ToolDefinition[] {
  const [askPerson, others] = [true, false].map(asks =>
    ownTools(DEFINITIONS).filter(tool => isAskPerson(tool) === asks),
  );
  return [...(others ?? []), ...ofFeatures, ...(askPerson ?? [])];
}

const NO_FEATURES = ownToolsWith([]);

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

/** Whether it means tools that runs carry out themselves. */
export function namesOwnTool(glob: string, own: readonly ToolDefinition[] = NO_FEATURES): boolean {
  return own.some(tool => isNamed(tool, [glob]));
}

/** Adds those that one of the roles is offered; a name that a server or the client has already stays theirs, with a warning. */
export function addWorkflowTools(
  tools: readonly ToolDefinition[],
  roles: readonly ToolChoice[],
  own: readonly ToolDefinition[] = NO_FEATURES,
): { tools: ToolDefinition[]; warnings: string[] } {
  const wanted = own.filter(tool => roles.some(role => isOffered(tool, role)));
  const [taken, free] = [true, false].map(isTaken =>
    wanted.filter(({ name }) => tools.some(tool => tool.name === name) === isTaken),
  );
  const warnings = (taken ?? []).map(
    ({ name }) => `Steersman's own tool ${name} is left out: there is a tool of this name already.`,
  );
  return { tools: [...tools, ...(free ?? [])], warnings };
}

/** The schema of arguments: all of them required but those named in `optional`. */
export function object(properties: Record<string, JsonSchema>, optional: readonly string[] = []): JsonSchema {
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
