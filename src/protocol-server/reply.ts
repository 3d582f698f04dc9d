/** A reply by script, in no protocol's form, and what is made of it before it is put on a wire. */
import { randomUUID } from 'node:crypto';
import { estimateTokens } from '../core/limits/tokens.js';
import type { CacheCount } from './cache/prefix-cache.js';
import type { FaultName } from './faults/names.js';

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
export interface ScriptedReply {
  /** Sent where the protocol gives reasoning to this request: by Anthropic only with thinking on. */
  reasoning?: string;
  text?: string;
  toolCalls?: ScriptedToolCall[];
  /** Default: as counted, with what the provider's cache would have had. `null` plays an endpoint that reports none. */
  usage?: ScriptedUsage | null;
  /** Default `tool_use` with tool calls, else `end_turn`. */
  stopReason?: ScriptedStop;
  /** Model name that the reply carries. Default: the one asked for. */
  servedModel?: string;
  /** Characters of one chunk. Default 64. */
  chunkChars?: number;
  /** Pause before each chunk, milliseconds. Default 0. */
  delayMs?: number;
  /** The reply waits for `until` before its chunk number `atChunk` (default 0, before the headers). */
  hold?: { until: Promise<unknown>; atChunk?: number };
  /** The reply waits for this before it ends, after all chunks. */
  holdEnd?: Promise<unknown>;
  /** An HTTP error instead of a reply; with `afterChunks`, an error event in the stream. */
  error?: WireError & { afterChunks?: number };
  /** Cuts the connection after so many chunks. */
  dropAfterChunks?: number;
  /** Sends nothing more after so many chunks and keeps the connection open. */
  stallAfterChunks?: number;
  /** Sent as it is in place of a reply, to play an endpoint that does not speak the protocol. */
  raw?: { body: string; contentType?: string };
  /** How the endpoint misbehaves with this reply, by name. */
  fault?: FaultName;
}

/** A reply with nothing left open. */
export interface FullReply {
  /** Unique for each reply: caches and measurements key on it. */
  id: string;
  /** Number of the request: stands where wires want a time. */
  index: number;
  model: string;
  reasoning: string;
  text: string;
  calls: { id: string | null | undefined; name: string; text: string }[];
  usage: Required<ScriptedUsage> | null;
  stopReason: ScriptedStop;
  chunkChars: number;
}

/** Fills in what a script left open; `input` is what was counted of the request. */
export function toFullReply(
  reply: ScriptedReply,
  request: { index: number; model: string },
  input: CacheCount | null,
): FullReply {
  const calls = (reply.toolCalls ?? []).map(call => ({
    id: call.id,
    name: call.name,
    text: typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments ?? {}),
  }));
  const reasoning = reply.reasoning ?? '';
  const text = reply.text ?? '';
  const reasoningTokens = estimateTokens(reasoning);
  const written = estimateTokens(text + calls.map(call => call.text).join(''));
  const counted = {
    inputTokens: input?.inputTokens ?? 0,
    cachedInputTokens: input?.cached ?? 0,
    cacheWriteInputTokens: input?.written ?? 0,
    outputTokens: reasoningTokens + written + 1,
    reasoningTokens,
  };
  const none = { cachedInputTokens: 0, cacheWriteInputTokens: 0, reasoningTokens: 0 };
  return {
    id: randomUUID().replaceAll('-', ''),
    index: request.index,
    model: reply.servedModel ?? request.model,
    reasoning,
    text,
    calls,
    usage: reply.usage === null ? null : reply.usage ? { ...none, ...reply.usage } : counted,
    stopReason: reply.stopReason ?? (calls.length > 0 ? 'tool_use' : 'end_turn'),
    chunkChars: reply.chunkChars ?? 64,
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
