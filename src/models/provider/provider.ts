/** The interface of a model provider: one canonical stream of deltas (V3), the same for every protocol. */

import type { ModelRequestHead } from '../../rules/prompts/model-request.js';
import type { ToolSyntax } from '../../run/agents/role.js';
import type { Message, StopReason } from '../../run/messages/message.js';
import type { Lesson } from './lesson.js';

/** The pictures of each message, in order, by the message's id. */
export type Pictures = ReadonlyMap<string, readonly Picture[]>;

export interface Picture {
  /** The reference under which the run stores it. */
  ref: string;
  /** A type that every provider accepts: see `load-pictures.ts`. */
  mimeType: 'image/jpeg' | 'image/png' | 'image/gif' | 'image/webp';
  base64: string;
}

export interface ModelRequest extends ModelRequestHead {
  /** The name at the endpoint: the model id without its endpoint. */
  model: string;
  /** Requests with the same key begin alike, and endpoints that cache by key serve them together. Null sends no key. */
  cacheKey: string | null;
  messages: readonly Message[];
  /** Pictures that tools returned and that the model should see. Default: no pictures. */
  pictures?: Pictures;
  /** The refusals of this model that its run knows about (`provider/lesson.ts`). Default: an empty list. */
  lessons?: readonly string[];
  /** `json`: the reply is one JSON object of any form, which the messages must ask for. Default `text`. */
  format?: 'text' | 'json';
}

/** Defaults of a request: text output, no tools, and the endpoint's own values for all options. */
export const PLAIN_REQUEST: Omit<ModelRequest, 'model' | 'messages' | 'pictures'> = {
  prefix: 'own',
  system: '',
  tools: [],
  output: 'text',
  dialect: 'component',
  toolChoice: 'auto',
  toolSyntax: null,
  temperature: null,
  topP: null,
  reasoning: null,
  stop: [],
  maxOutputTokens: null,
  cacheKey: null,
};

export type CompletionRequest = Pick<ModelRequest, 'model' | 'messages'> & Partial<ModelRequest>;

export interface ReportedUsage {
  inputTokens: number;
  outputTokens: number;
  cachedInputTokens: number;
  /** Tokens written to the endpoint's cache; left out if there were none. */
  cacheWriteInputTokens?: number;
  reasoningTokens: number;
}

/** A part of a reply. After `end`, which completes the reply, only `usage` may follow. Otherwise the last `end` counts. */
export type ModelDelta =
  | { type: 'text' | 'reasoning'; text: string }
  /** The reasoning so far is complete; `value` is what the provider wants back with it. Later reasoning is a new block. */
  | { type: 'reasoning_end'; value: unknown }
  | { type: 'tool_start'; index: number; id: string | null; name: string }
  | { type: 'tool_input'; index: number; text: string }
  /** Data that the provider wants back with this call. */
  | { type: 'tool_data'; index: number; value: unknown }
  /** Parts of this call are missing or can't be distinguished from those of other calls, so it must not run. */
  | { type: 'tool_mixed_up'; index: number }
  /** The endpoint starts the reply again; all earlier parts are void. */
  | { type: 'restart' }
  /** The endpoint accepted the request after this change. */
  | { type: 'lesson'; lesson: Lesson }
  | { type: 'usage'; usage: ReportedUsage }
  | { type: 'end'; stopReason: Exclude<StopReason, 'interrupted'>; servedModel: string | null };

export interface ModelProvider {
  /** The first segment of its model ids. */
  readonly name: string;
  /** The base URL without credentials, for messages. */
  readonly endpoint: string;
  /** How its models call tools if their role does not say. Default `native`. */
  readonly toolSyntax?: ToolSyntax;
  /**
   * Streams one reply. Failed calls are not repeated here, because Temporal does that. Throws `ModelCallError`. After
   * `signal` is aborted it ends or throws, and the caller checks the signal. `onEvent` is called for every event, even
   * an empty one such as a ping, as a sign that the endpoint is working.
   */
  stream(request: ModelRequest, signal: AbortSignal, onEvent?: () => void): AsyncIterable<ModelDelta>;
  /** Returns the ids that the endpoint lists; this is also its health check. Throws `ModelCallError`. */
  listModels(signal: AbortSignal): Promise<string[]>;
}

/** A provider of `createProvider`, for programs without runs. `PLAIN_REQUEST` has the defaults of a request. */
export interface EndpointProvider extends ModelProvider {
  stream(request: CompletionRequest, signal?: AbortSignal, onEvent?: () => void): AsyncIterable<ModelDelta>;
}
