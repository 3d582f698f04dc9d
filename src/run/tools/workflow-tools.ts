/**
 * Tools that a run carries out itself, as data. Only a role that names them has them: `*` excludes them. The tool that
 * asks the person belongs to every role that works with tools and answers in text.
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

/** These tools change nothing outside the run, so no approval is needed; their results are momentary, so never reused. */
export const WITHIN_THE_RUN: ToolPolicy = {
  ...DEFAULT_TOOL_POLICY,
  readOnly: true,
  idempotent: true,
  destructive: false,
  cache: 'none',
};

/** Asks the person who attends the run: the result is the answer. */
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
    // The agent's own calls are decided upon in its own run.
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

/** Returns definitions of tools that a run carries out itself. */
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

/** Returns the tools of runs, with features' tools in between: endpoints have this order in their caches. */
export function ownToolsWith(ofFeatures: readonly ToolDefinition[]): readonly ToolDefinition[] {
  const [askPerson, others] = [true, false].map(asks =>
    ownTools(DEFINITIONS).filter(tool => isAskPerson(tool) === asks),
  );
  return [...(others ?? []), ...ofFeatures, ...(askPerson ?? [])];
}

const NO_FEATURES = ownToolsWith([]);

/** True if a role's globs match a tool; a bare `*` does not match the run's own tools. */
export function isNamed(
  { name, origin }: Pick<ToolDefinition, 'name' | 'origin'>,
  globs: readonly string[],
): boolean {
  return matchesAny(name, origin.type === 'workflow' ? globs.filter(glob => glob !== '*') : globs);
}

/** The part of a role that determines its tools. */
export interface ToolChoice {
  tools: readonly string[];
  readOnly?: boolean;
  output?: OutputContract;
}

/** True if the run offers a tool to a role. Only roles with tools and text replies get `ask_person`. */
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

/** True if the glob names tools that runs carry out themselves. */
export function namesOwnTool(glob: string, own: readonly ToolDefinition[] = NO_FEATURES): boolean {
  return own.some(tool => isNamed(tool, [glob]));
}

/** Adds the tools that a role is offered; a name that a server or the client already uses stays theirs, with a warning. */
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

/** Returns the schema of arguments: all are required except those in `optional`. */
export function object(properties: Record<string, JsonSchema>, optional: readonly string[] = []): JsonSchema {
  const required = Object.keys(properties).filter(name => !optional.includes(name));
  return { type: 'object', properties, required, additionalProperties: false };
}

// Tools of the client (T8, T10): servers have precedence.

/** Adds the client's tools, except those whose name a server uses, as they would be ambiguous. */
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
      // The client knows its tools and asks its own user, so the run does not ask again.
      policy: { ...DEFAULT_TOOL_POLICY, cache: 'none' },
    });
  }
  return { tools: merged, warnings };
}
