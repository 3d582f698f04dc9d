/** Role profiles: agents as data (P6). Written as front matter of `prompts/core/<role>.md`. */

import type { OutputContract } from '../outputs/contracts.js';
import type { Dialect } from '../outputs/envelope.js';

/** The amount of thinking before a reply. */
export const REASONING_LEVELS = ['off', 'low', 'medium', 'high'] as const;
export type ReasoningLevel = (typeof REASONING_LEVELS)[number];

/** The form of tool calls: the model's own interface, XML in its text, or the `action` of a JSON object. */
export const TOOL_SYNTAXES = ['native', 'xml', 'json-action'] as const;
export type ToolSyntax = (typeof TOOL_SYNTAXES)[number];

export interface RoleProfile {
  /** File name without `.md`; unique. */
  name: string;
  description: string;
  /** `shared`: reads and writes the run's main thread; `private`: a thread of its own. */
  memory: 'shared' | 'private';
  /** `shared`: one system text and block of tools, so that endpoints read the roles' thread once; `own`: its own. */
  prefix: 'shared' | 'own';
  /** Globs over the tool names that the role is offered; an empty list offers no tools. */
  tools: string[];
  /** The role is offered only the read-only tools among them. Absent for false. */
  readOnly?: boolean;
  /** Globs over the roles that it may call as sub-agents; an empty list allows no calls. */
  agents: string[];
  /** Capabilities besides its tools, for tasks that require them: see `capabilities.ts`. Absent for an empty list. */
  capabilities?: string[];
  /** Things that an instruction must contain when the role is called as a sub-agent. */
  requires: Requirement[];
  output: OutputContract;
  /** Replies with tool calls when the goal is its own work; null for `limits.replies`, or in a step `limits.execution`. */
  maxRounds: number | null;
  /** Limit of tool calls run from one reply; null for `limits.toolCallsPerTurn`, which it can't exceed. */
  toolCallsPerTurn: number | null;
  /** The form of its JSON: flat components, or envelopes. */
  dialect: Dialect;
  /** `endpoint/model`s in order of preference; empty: the run's default. */
  models: string[];
  /** 0 to 2; null leaves it to the endpoint. */
  temperature: number | null;
  /** Nucleus sampling, 0 to 1; null leaves it to the endpoint. */
  topP: number | null;
  /** Null leaves it to the model. Endpoints without such an option ignore it. */
  reasoning: ReasoningLevel | null;
  /** Null leaves it to the endpoint. */
  toolSyntax: ToolSyntax | null;
  /** Texts that end a reply when the model writes them. */
  stop: string[];
  /** Tokens of one reply, reasoning included; null leaves it to the endpoint. */
  maxOutputTokens: number | null;
  /** False: replies arrive whole, without live text. Absent for true. */
  streaming?: boolean;
  /** Retries of a call, 0 to 10, before it counts as failed. Absent for `MODEL_RETRIES`. */
  maxRetries?: number;
  /**
   * Milliseconds before the first retry, 1 to 60,000, then doubling; a wait that the endpoint asks for overrides it.
   * Absent for 1,000.
   */
  retryDelayMs?: number;
  /** A template that the role's answer to a goal is put into: see `final-response.ts`. Absent for the plain answer. */
  finalResponse?: string;
}

/** Temporal's retries of one model call. */
export const MODEL_RETRIES = 3;

/** Placeholders of prompts that are filled in with each instruction: see `prompts/call-context.ts`. */
export const CALL_PLACEHOLDERS = [
  'USER_GOAL',
  'SYSTEM_STATE',
  'TASK_CONTEXT',
  'TASK_LIST',
  'RESOURCE_POOL',
  'HISTORY',
  'ARTIFACTS',
] as const;
export type CallPlaceholder = (typeof CALL_PLACEHOLDERS)[number];

export interface PinnedRole extends RoleProfile {
  /** The role's system text; in a shared prefix, a message of its thread. */
  prompt: string;
  /** Placeholders of its prompt that each instruction fills in; absent for an empty list. */
  context?: CallPlaceholder[];
}

// This section describes roles that a run may call as sub-agents.

/** The values of `requires` in a role's front matter; an instruction is checked for them before a run starts. */
export const REQUIREMENTS = ['url'] as const;
export type Requirement = (typeof REQUIREMENTS)[number];

/** A run may have sub-agents, and these may have their own; the depth ends there. */
export const MOST_AGENT_DEPTH = 2;

/** The facts about a callable role that the calling run pins. */
export interface AgentCard extends Pick<RoleProfile, 'name' | 'description' | 'requires' | 'capabilities'> {
  /** Names of the roles that it may call in turn, directly or through others. Absent for an empty list. */
  calls?: string[];
  /** The role may only read. Absent for false. */
  readOnly?: true;
  /** Replies that it may take for an instruction. Absent for the run's limit. */
  rounds?: number;
}

/**
 * Returns the one of these names that is meant; otherwise the name unchanged. Other systems write `search_agent` and
 * `planner-agent`.
 */
export function roleNamed(said: string, names: readonly string[]): string {
  const plain = said.replace(/[-_]agent$/, '');
  return !names.includes(said) && names.includes(plain) ? plain : said;
}
