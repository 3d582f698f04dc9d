/** What a model call sends, as the workflow tells it to the worker that makes the call. */

import type { ReasoningLevel, ToolSyntax } from '../agents/role.js';
import type { OutputContract } from '../outputs/contracts.js';
import type { Dialect } from '../outputs/envelope.js';
import type { Message } from '../state/message.js';
import type { JsonSchema } from '../tools/tool.js';

/** A tool offered with a call, as the model sees it. */
export interface OfferedTool {
  name: string;
  description: string;
  inputSchema: JsonSchema;
  validation: 'strict' | 'delegate';
}

/** The part of a request that stays the same over many calls of a role. */
export interface ModelRequestHead {
  /**
   * Whether others send the same `system` and `tools`. Where they do, nothing that endpoints put before or into these
   * goes by the role: no schema of its reply.
   */
  prefix: 'shared' | 'own';
  system: string;
  tools: OfferedTool[];
  output: OutputContract;
  /** The form of the role's JSON: schemas, and tool calls written as JSON, go by it. */
  dialect: Dialect;
  /** Whether the reply may, may not or must call a tool. Calls that are made all the same are closed, never run. */
  toolChoice: 'auto' | 'none' | 'required';
  /** 0 to 2; null leaves it to the endpoint. */
  temperature: number | null;
  /** Nucleus sampling, 0 to 1; null leaves it to the endpoint. */
  topP: number | null;
  /** How much the model thinks first; null leaves it to the model. */
  reasoning: ReasoningLevel | null;
  /** How the role calls tools; null leaves it to the endpoint. */
  toolSyntax: ToolSyntax | null;
  /** Texts that end a reply where the model writes them; they are not part of it. */
  stop: string[];
  maxOutputTokens: number | null;
  /** False: the reply is to come whole. Absent for true. */
  streaming?: boolean;
}

/** Answer of the query `modelRequest`: one page of what a call sends. */
export interface ModelRequestPage {
  callId: string;
  role: string;
  thread: string;
  /** Messages are append-only within an epoch: a cache key with the thread. */
  epoch: number;
  /** Names the head: same key in the same run, same head. */
  headKey: string;
  /** Absent when the asker said that it has `headKey`. */
  head?: ModelRequestHead;
  /** Index of the first message of this page in the thread. */
  from: number;
  messages: Message[];
  /** Index to ask for next, or null when this page ends the request. */
  next: number | null;
}
