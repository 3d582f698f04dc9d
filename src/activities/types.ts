/**
 * What workflows and activities say to each other: plain data, small, and without the conversation,
 * which activities read from the workflow by query.
 */

import type { AssistantMessage, LlmMessage, ToolContent, Usage } from '../core/message.js';
import type { Dialect } from '../core/outputs/envelope.js';
import type { OutputContract } from '../core/role.js';
import type { PinnedRun, RunSettings } from '../core/run-config.js';
import type { JsonSchema } from '../core/tools/tool.js';
import type { Packed } from '../workflows/platform/packed.js';

export interface LoadRunInput {
  settings: RunSettings;
}

export interface CallModelInput {
  callId: string;
  role: string;
  /** `provider/model`. */
  model: string;
  /** Names what the workflow offered for this call: see `RequestSinks`. */
  check: string;
}

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

/** Where a workflow puts what its next call sends, for activities of the same worker. */
export type RequestSinks = {
  steersman: { offer(page: ModelRequestPage, check: string): void };
};

/** The new message and nothing else of the conversation. Its id and time are given by the workflow. */
export interface CallModelResult {
  content: AssistantMessage['content'];
  stopReason: AssistantMessage['stopReason'];
  usage: Usage;
  /** `provider/model` as asked for; `servedModel` where the endpoint names another. */
  model: string;
  servedModel?: string;
  /** The text that the output is read from, where the message has its head and tail only. */
  wholeText?: string;
  /** Output text after JSON repair, where core's own parser could not read the raw text. */
  repairedText?: string;
  /** What the person should know of this reply, such as a usage that can't be right. */
  warning?: string;
  durationMs: number;
}

export interface CallToolInput {
  callId: string;
  /** The pairing id of the call in the conversation. */
  toolUseId: string;
  /** Name as pinned in the run. */
  tool: string;
  serverToolName: string;
  /** MCP server, or null for a built-in tool. */
  server: string | null;
  /** Small arguments; larger ones are read by the query `toolRequest`. */
  arguments?: Record<string, unknown>;
  /** The worker checks the arguments again, with the schema that the server gives. */
  checked?: boolean;
  timeoutMs: number;
  /** Nothing bad can come of running it twice: read-only or idempotent. */
  idempotent: boolean;
  workspace: string;
  /** Run context for the tool: ids of run, task and whatever the starter gave. */
  context: Record<string, string>;
}

export interface CallToolResult {
  ending: 'executed' | 'invalid' | 'denied' | 'timed_out' | 'unavailable' | 'outcome_unknown' | 'cancelled';
  /** Words of the worker (`core/tools/tool-notes.ts`), never of the tool or its server. */
  note?: string;
  content: ToolContent[];
  isError: boolean;
  durationMs: number;
}

export interface StoreTextInput {
  text: string;
  name: string;
}

/** What workers run for workflows. The keys are the activity types on the wire. */
export interface SteersmanActivities {
  steersmanLoadRun(input: LoadRunInput): Promise<Packed<PinnedRun>>;
  steersmanCallModel(input: CallModelInput): Promise<CallModelResult>;
  steersmanCallTool(input: CallToolInput): Promise<CallToolResult>;
  /** Keeps a text in the blob store; returns its reference. */
  steersmanStoreText(input: StoreTextInput): Promise<{ ref: string }>;
}

/** Heartbeat details of a tool call whose server tells how far it is. */
export interface ToolProgress {
  callId: string;
  tool: string;
  progress: number;
  total?: number;
  message?: string;
}

/** Heartbeat details of a model call: the live text. */
export interface LiveText {
  callId: string;
  attempt: number;
  channel: 'text' | 'reasoning' | 'tool_input';
  /** Characters of this channel before `tail`. */
  offset: number;
  /** The last 2,000 characters at most. */
  tail: string;
  /** Tokens of the call so far, estimated, its failed attempts included: the next attempt goes on from it. */
  spent?: Usage;
}
