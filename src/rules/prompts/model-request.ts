/** The content of a model call, which the workflow sends to the worker that makes the call. */

import type { JsonSchema } from '../../base/json/json.js';
import type { RoleProfile } from '../../run/agents/role.js';
import type { Message } from '../../run/messages/message.js';
import type { ToolDefinition } from '../../run/tools/tool.js';

export type OfferedTool = Pick<ToolDefinition, 'name' | 'description' | 'inputSchema' | 'validation'>;

type OfRole =
  | 'output'
  | 'dialect'
  | 'temperature'
  | 'topP'
  | 'reasoning'
  | 'toolSyntax'
  | 'stop'
  | 'maxOutputTokens'
  | 'streaming';

/** The part of a request that stays the same over many calls of a role. */
export interface ModelRequestHead extends Pick<RoleProfile, OfRole> {
  /** `shared`: other roles send the same `system` and `tools`, so neither these nor the schema may depend on the role. */
  prefix: 'shared' | 'own';
  system: string;
  tools: OfferedTool[];
  /** Binds a reply in words, if the endpoint supports that; the reply may then not call tools. */
  schema?: JsonSchema;
  /** Whether the reply may, may not or must call a tool; forbidden calls are closed, never run. */
  toolChoice: 'auto' | 'none' | 'required';
}

/** The answer of the query `modelRequest`: one page of a call's content. */
export interface ModelRequestPage {
  callId: string;
  role: string;
  thread: string;
  /** Messages are append-only within an epoch: thread and epoch form a cache key. */
  epoch: number;
  /** Identifies the head: in one run, equal keys mean equal heads. */
  headKey: string;
  /** Absent if the asker already has `headKey`. */
  head?: ModelRequestHead;
  /** Index of the first message of this page in the thread. */
  from: number;
  messages: Message[];
  /** The index to ask for next; null if this page is the last. */
  next: number | null;
}
