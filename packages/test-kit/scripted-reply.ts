/** A scripted reply, and the complete reply that is derived from it for the wire. */
import { randomUUID } from 'node:crypto';

export interface ScriptedToolCall {
  name: string;
  /** An object is sent as JSON; a string is sent unchanged, for broken arguments. Default `{}`. */
  arguments?: Record<string, unknown> | string;
  /** Default: a unique id. `null` imitates an endpoint that sends no id. */
  id?: string | null;
}

/** The reason why a reply ended. `refusal`: its text is the model's refusal. */
export type ScriptedStop = 'end_turn' | 'tool_use' | 'max_tokens' | 'content_filter' | 'refusal';

/** Token counts. Cached and cache-written tokens are parts of the input, reasoning tokens of the output. */
export interface ScriptedUsage {
  inputTokens: number;
  outputTokens: number;
  cachedInputTokens?: number;
  cacheWriteInputTokens?: number;
  reasoningTokens?: number;
}

/** An HTTP error. Its body defaults to the protocol's error shape. */
export interface WireError {
  status: number;
  message?: string;
  type?: string;
  code?: string | null;
  param?: string | null;
  headers?: Record<string, string>;
  /** Body that is sent unchanged, in place of the protocol's error shape. */
  body?: string;
}

/** A scripted reply. Its parts are sent in the order reasoning, text, tool calls. */
export interface PlainReply {
  reasoning?: string;
  text?: string;
  toolCalls?: ScriptedToolCall[];
  /** Default `null`: no usage is reported, so the run estimates it. */
  usage?: ScriptedUsage | null;
  /** Default `tool_use` with tool calls, else `end_turn`. */
  stopReason?: ScriptedStop;
  /** Model name in the reply. Default: the requested one. */
  servedModel?: string;
  /** Characters of one chunk. Default 64. */
  chunkChars?: number;
  /** Pause before each chunk, milliseconds. Default 0. */
  delayMs?: number;
  /** Waits for `until` before chunk number `atChunk`. Default 0: before the reply begins; `end`: after the last chunk. */
  hold?: { until: Promise<unknown>; atChunk?: number | 'end' };
  /** An HTTP error instead of a reply. */
  error?: WireError;
}

/** A reply with all defaults filled in. */
export interface FullReply {
  /** Unique for each reply: caches and measurements key on it. */
  id: string;
  model: string;
  reasoning: string;
  text: string;
  calls: { id: string | null | undefined; name: string; text: string }[];
  usage: Required<ScriptedUsage> | null;
  stopReason: ScriptedStop;
  chunkChars: number;
}

/** Fills in the defaults of a reply; `model` is the requested one. */
export function toFullReply(reply: PlainReply, model: string): FullReply {
  const { reasoning = '', text = '', toolCalls = [], servedModel = model, chunkChars = 64 } = reply;
  const none = { cachedInputTokens: 0, cacheWriteInputTokens: 0, reasoningTokens: 0 };
  return {
    id: randomUUID().replaceAll('-', ''),
    model: servedModel,
    reasoning,
    text,
    calls: toolCalls.map(({ id, name, arguments: given = {} }) => ({
      id,
      name,
      text: typeof given === 'string' ? given : JSON.stringify(given),
    })),
    usage: reply.usage ? { ...none, ...reply.usage } : null,
    stopReason: reply.stopReason ?? (toolCalls.length > 0 ? 'tool_use' : 'end_turn'),
    chunkChars,
  };
}

/** Splits a text into chunks; an empty text has no chunks. */
export function chunksOf(text: string, chars: number): string[] {
  const parts: string[] = [];
  for (let at = 0; at < text.length; at += chars) parts.push(text.slice(at, at + chars));
  return parts;
}

/** Returns the id of a call under the protocol's field name; empty if the script sends no id. */
export function withCallId(field: string, given: string | null | undefined, otherwise: string): object {
  return given === null ? {} : { [field]: given ?? otherwise };
}
