/** What a model call sends, as the workflow tells it to the worker that makes the call. */
import type { LlmMessage } from './message.js';
import type { Dialect } from './outputs/envelope.js';
import type { OutputContract } from './role.js';
import type { JsonSchema } from './tools/tool.js';

/** A tool offered with a call, as the model sees it. */
export interface OfferedTool {
  name: string;
  description: string;
  inputSchema: JsonSchema;
  validation: 'strict' | 'delegate';
}

/** The part of a request that stays the same over many calls of a role. */
export interface ModelRequestHead {
  system: string;
  tools: OfferedTool[];
  output: OutputContract;
  /** The form of the role's JSON: schemas, and tool calls written as JSON, go by it. */
  dialect: Dialect;
  temperature: number | null;
  maxOutputTokens: number | null;
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
  messages: LlmMessage[];
  /** Index to ask for next, or null when this page ends the request. */
  next: number | null;
}
