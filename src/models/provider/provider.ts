/** What a model provider is to the rest: one canonical stream of deltas (V3), whatever the wire. */

import type { ModelRequestHead } from '../../rules/prompts/model-request.js';
import type { ToolSyntax } from '../../run/agents/role.js';
import type { Message, StopReason } from '../../run/messages/message.js';
import type { Lesson } from './lesson.js';

/** By the id of the message that shows them, in order. */
export type Pictures = ReadonlyMap<string, readonly Picture[]>;

export interface Picture {
  /** Under which the run keeps it. */
  ref: string;
  /** One that every provider takes: see `load-pictures.ts`. */
  mimeType: 'image/jpeg' | 'image/png' | 'image/gif' | 'image/webp';
  base64: string;
}

export interface ModelRequest extends ModelRequestHead {
  /** Name at the endpoint: the model id without its provider. */
  model: string;
  /** Requests with the same key begin alike: endpoints that cache by key keep them together. Null for none. */
  cacheKey: string | null;
  messages: readonly Message[];
  /** Pictures that tools returned, as far as the model sees them. Default: none. */
  pictures?: Pictures;
  /** What its run knows of refusals of this model (`refusals/lesson.ts`). Default: nothing. */
  lessons?: readonly string[];
}

export interface ReportedUsage {
  inputTokens: number;
  outputTokens: number;
  cachedInputTokens: number;
  /** Written to the endpoint's cache; left out for none. */
  cacheWriteInputTokens?: number;
  reasoningTokens: number;
}

/**
 * A part of a reply. `end` says that the reply is complete. `usage` may come after it; where more is said after it, the last end counts.
 */
export type ModelDelta =
  | { type: 'text' | 'reasoning'; text: string }
  /** The reasoning so far is whole, with what the provider wants back with it; what follows is another. */
  | { type: 'reasoning_end'; value: unknown }
  | { type: 'tool_start'; index: number; id: string | null; name: string }
  | { type: 'tool_input'; index: number; text: string }
  /** What the provider wants back with this call. */
  | { type: 'tool_data'; index: number; value: unknown }
  /** Parts of this call are missing or can't be told from those of others: it must not run. */
  | { type: 'tool_mixed_up'; index: number }
  /** The endpoint begins the reply anew: nothing that came before it counts. */
  | { type: 'restart' }
  /** The request was taken after this was changed. */
  | { type: 'lesson'; lesson: Lesson }
  | { type: 'usage'; usage: ReportedUsage }
  | { type: 'end'; stopReason: Exclude<StopReason, 'interrupted'>; servedModel: string | null };

export interface ModelProvider {
  /** First segment of its model ids. */
  readonly name: string;
  /** Base URL without credentials, for messages. */
  readonly endpoint: string;
  /** How its models call tools where their role does not say. Default `native`. */
  readonly toolSyntax?: ToolSyntax;
  /**
   * Streams one reply. Never retries what failed, Temporal does that. Throws `ModelCallError`; after
   * `signal` is aborted it ends or throws, and the caller looks at the signal. `onEvent` is told of all that comes,
   * also of what says nothing, such as a ping: the endpoint is at work.
   */
  stream(request: ModelRequest, signal: AbortSignal, onEvent?: () => void): AsyncIterable<ModelDelta>;
  /** Ids that the endpoint lists: its health check. Throws `ModelCallError`. */
  listModels(signal: AbortSignal): Promise<string[]>;
}
