/** A reply by script, and what is made of it before it is put on a wire. */
import { randomUUID } from 'node:crypto';

export interface ScriptedToolCall {
  name: string;
  /** An object is sent as JSON; a string as it is, for broken arguments. Default `{}`. */
  arguments?: Record<string, unknown> | string;
  /** Default: unique. `null` plays an endpoint that gives no id. */
  id?: string | null;
}

/** Why a reply ended. `refusal`: its text is the model's refusal. */
export type ScriptedStop = 'end_turn' | 'tool_use' | 'max_tokens' | 'content_filter' | 'refusal';

/** Token counts. Cached and written ones are parts of the input, reasoning of the output. */
export interface ScriptedUsage {
  inputTokens: number;
  outputTokens: number;
  cachedInputTokens?: number;
  cacheWriteInputTokens?: number;
  reasoningTokens?: number;
}

/** What goes wrong over HTTP: the body defaults to the protocol's error shape. */
export interface WireError {
  status: number;
  message?: string;
  type?: string;
  code?: string | null;
  param?: string | null;
  headers?: Record<string, string>;
  /** Sent as it is instead of the protocol's error shape. */
  body?: string;
}

/** One reply. Parts are sent in the order reasoning, text, tool calls. */
export interface PlainReply {
  reasoning?: string;
  text?: string;
  toolCalls?: ScriptedToolCall[];
  /** Default `null`: none is reported, so that the run estimates it. */
  usage?: ScriptedUsage | null;
  /** Default `tool_use` with tool calls, else `end_turn`. */
  stopReason?: ScriptedStop;
  /** Model name that the reply carries. Default: the one asked for. */
  servedModel?: string;
  /** Characters of one chunk. Default 64. */
  chunkChars?: number;
  /** Pause before each chunk, milliseconds. Default 0. */
  delayMs?: number;
  /** The reply waits for `until` before its chunk number `atChunk`. Default 0, before it begins; `end`: after the last. */
  hold?: { until: Promise<unknown>; atChunk?: number | 'end' };
  /** An HTTP error instead of a reply. */
  error?: WireError;
}

/** A reply with nothing left open. */
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

/** Fills in what a script left open; `model` is the one asked for. */
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

/** The chunks of a text; none of an empty one. */
export function chunksOf(text: string, chars: number): string[] {
  const parts: string[] = [];
  for (let at = 0; at < text.length; at += chars) parts.push(text.slice(at, at + chars));
  return parts;
}

/** The id of a call under the name that a protocol has for it; nothing where the script says so. */
export function withCallId(field: string, given: string | null | undefined, otherwise: string): object {
  return given === null ? {} : { [field]: given ?? otherwise };
}
