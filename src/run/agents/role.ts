/** Role profiles: agents as data (P6). Written as front matter of `prompts/core/<role>.md`. */

import type { OutputContract } from '../outputs/contracts.js';
import type { Dialect } from '../outputs/envelope.js';

/** How much a model thinks before it answers. */
export const REASONING_LEVELS = ['off', 'low', 'medium', 'high'] as const;
export type ReasoningLevel = (typeof REASONING_LEVELS)[number];

/** How tools are called: by the model's own interface, as XML in its text, or as the `action` of a JSON object. */
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
  /** Globs over tool names the role is offered; empty for none. */
  tools: string[];
  /** Of these, it is offered those alone that only read. Absent for false. */
  readOnly?: boolean;
  /** Globs over names of roles that it may call as sub-agents; empty for none. */
  agents: string[];
  /** What it has besides its tools, for tasks that need it: see `capabilities.ts`. Absent for nothing. */
  capabilities?: string[];
  /** What an instruction to it must hold, where it is called as a sub-agent. */
  requires: Requirement[];
  output: OutputContract;
  /** Replies with tool calls for a goal that is its own work; null for `limits.replies`, of a step `limits.execution`. */
  maxRounds: number | null;
  /** Tool calls of one reply of it that are run, at most `limits.toolCallsPerTurn`; null for that. */
  toolCallsPerTurn: number | null;
  /** The form of its JSON: flat components, or envelopes. */
  dialect: Dialect;
  /** `endpoint/model`s in order of preference; empty: the run's default. */
  models: string[];
  /** 0 to 2; null leaves it to the endpoint. */
  temperature: number | null;
  /** Nucleus sampling, 0 to 1; null leaves it to the endpoint. */
  topP: number | null;
  /** Null leaves it to the model, as does every endpoint that knows no such choice. */
  reasoning: ReasoningLevel | null;
  /** Null leaves it to the endpoint. */
  toolSyntax: ToolSyntax | null;
  /** Texts that end a reply where the model writes them. */
  stop: string[];
  /** Tokens of one reply, reasoning included; null leaves it to the endpoint. */
  maxOutputTokens: number | null;
  /** False: its replies come whole, and there is no live text. Absent for true. */
  streaming?: boolean;
  /** Retries of a call, 0 to 10, before what follows a failed one. Absent for `MODEL_RETRIES`. */
  maxRetries?: number;
  /** Before the first retry, 1 to 60,000, doubling; what an endpoint asks for counts instead. Absent for 1,000. */
  retryDelayMs?: number;
  /** What its answer is filled into, where that is a goal's: see `final-response.ts`. Absent for the answer alone. */
  finalResponse?: string;
}

/** Temporal's, of one model call. */
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
  /** Its system text, or where it shares the prefix a message of its thread. */
  prompt: string;
  /** What its prompt names, to be told with each instruction; absent for nothing. */
  context?: CallPlaceholder[];
}

// What a run knows of a role that it may call as a sub-agent.

/** What an instruction must hold, by a role's front matter `requires`: it is looked for before a run is started. */
export const REQUIREMENTS = ['url'] as const;
export type Requirement = (typeof REQUIREMENTS)[number];

/** A run has agents, and they have agents of their own; those have none. */
export const MOST_AGENT_DEPTH = 2;

/** What is known of a role that may be called, before it is: pinned in the run that may call it. */
export interface AgentCard extends Pick<RoleProfile, 'name' | 'description' | 'requires' | 'capabilities'> {
  /** Names of the roles that it may call itself, and they. Absent for none. */
  calls?: string[];
  /** Its role may only look. Absent for false. */
  readOnly?: true;
  /** Replies that it has for an instruction. Absent for those of the run's limit. */
  rounds?: number;
}
