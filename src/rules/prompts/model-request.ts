/** What a model call sends, as the workflow tells it to the worker that makes the call. */

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
  /** `shared`: others send the same `system` and `tools`, so nothing before or in these goes by the role, also no schema. */
  prefix: 'shared' | 'own';
  system: string;
  tools: OfferedTool[];
  /** Whether the reply may, may not or must call a tool. Calls that are made all the same are closed, never run. */
  toolChoice: 'auto' | 'none' | 'required';
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
