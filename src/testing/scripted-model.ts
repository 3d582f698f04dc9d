/**
 * A model that answers by script, over real HTTP and server-sent events: tests see the whole path
 * (SDK, streaming, tools, retries) with replies of their own.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ReplyWriter, WireError, WireFinishReason, WireUsage } from '../protocol-server/reply.js';
import { type ChatRequest, startProtocolServer } from '../protocol-server/server.js';
import { EVERY_TASK } from './role-outputs.js';

export interface ScriptedToolCall {
  name: string;
  /** An object is sent as JSON; a string as it is, for broken arguments. Default `{}`. */
  arguments?: Record<string, unknown> | string;
  /** Default: unique. `null` plays an endpoint that gives no id. */
  id?: string | null;
}

/** One reply. Parts are sent in the order reasoning, text, tool calls. */
export interface ScriptedReply {
  reasoning?: string;
  text?: string;
  toolCalls?: ScriptedToolCall[];
  /** Default: counted from the characters. `null` plays an endpoint that reports none. */
  usage?: WireUsage | null;
  /** Default `tool_calls` with tool calls, else `stop`. */
  finishReason?: WireFinishReason;
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
}

/** Options that an endpoint may not know: a request that carries one is answered with a 400 that names it. */
export type RejectedOption =
  | 'response_format'
  | 'stream_options'
  | 'temperature'
  | 'max_tokens'
  | 'max_completion_tokens';

export interface ScriptedModelOptions {
  /** Replies in order, or a function of the request; `index` counts answered requests from 0. */
  reply:
    | readonly ScriptedReply[]
    | ((request: ChatRequest, index: number) => ScriptedReply | Promise<ScriptedReply>);
  rejects?: readonly RejectedOption[];
  /** Ids listed at `/v1/models`; when given, a request for another model is answered with 404. */
  models?: readonly string[];
  /** When given, requests without this key are answered with 401. */
  apiKey?: string;
  /** Default 0: any free port. */
  port?: number;
}

export interface ScriptedModel {
  /** For `OPENAI_BASE_URL`. */
  baseUrl: string;
  port: number;
  /** Every chat request that arrived, rejected ones too, oldest first. */
  requests: ChatRequest[];
  /** Resolves with the request number `index` (from 0), at once if it has arrived. */
  requestArrived(index: number): Promise<ChatRequest>;
  close(): Promise<void>;
}

/** Starts a scripted model on a loopback port. A list that is used up answers with a 400 that says so. */
export async function startScriptedModel(options: ScriptedModelOptions): Promise<ScriptedModel> {
  const requests: ChatRequest[] = [];
  const waiting: { index: number; resolve: (request: ChatRequest) => void }[] = [];
  let answered = 0;
  const server = await startProtocolServer({
    ...(options.port === undefined ? {} : { port: options.port }),
    models: options.models ?? [],
    handle: async (request, writer) => {
      requests.push(request);
      for (const waiter of waiting) if (waiter.index === request.index) waiter.resolve(request);
      const refusal = refuse(request, options);
      if (refusal) return writer.error(refusal);
      const index = answered++;
      const reply = await nextReply(options.reply, request, index);
      await play(withEveryTask(reply, request), writer, request.gone);
    },
  });
  return {
    ...server,
    requests,
    requestArrived: index => {
      const there = requests[index];
      return there ? Promise.resolve(there) : new Promise(resolve => waiting.push({ index, resolve }));
    },
  };
}

function refuse(request: ChatRequest, options: ScriptedModelOptions): WireError | null {
  if (options.apiKey !== undefined && request.headers.authorization !== `Bearer ${options.apiKey}`) {
    return {
      status: 401,
      message: 'Incorrect API key provided.',
      type: 'invalid_request_error',
      code: 'invalid_api_key',
    };
  }
  const model = request.body.model;
  if (options.models && !options.models.includes(model)) {
    return { status: 404, message: `The model \`${model}\` does not exist.`, code: 'model_not_found' };
  }
  const option = options.rejects?.find(name => request.body[name] !== undefined);
  if (option === undefined) return null;
  return {
    status: 400,
    message: `Unsupported parameter: '${option}' is not supported with this model.`,
    type: 'invalid_request_error',
    code: 'unsupported_parameter',
    param: option,
  };
}

async function nextReply(
  script: ScriptedModelOptions['reply'],
  request: ChatRequest,
  index: number,
): Promise<ScriptedReply> {
  if (typeof script === 'function') return script(request, index);
  const message = `The script has ${script.length} replies, and this is request ${index + 1}.`;
  return script[index] ?? { error: { status: 400, message, code: 'script_used_up' } };
}

/** A verdict on every task names those that the request lists. */
function withEveryTask(reply: ScriptedReply, { body }: ChatRequest): ScriptedReply {
  const marker = JSON.stringify(EVERY_TASK);
  if (reply.text?.includes(marker) !== true) return reply;
  const asked = body.messages
    .map(({ content }) => JSON.stringify(content ?? ''))
    .findLast(text => TASK_LINE.test(text));
  const ids = [...(asked ?? '').matchAll(new RegExp(TASK_LINE, 'g'))].map(match => match[1]);
  const tasks = ids.map(id => ({ id, completed: true, feedback: 'By script.' }));
  return { ...reply, text: reply.text.replace(marker, JSON.stringify(tasks)) };
}

/** A task as briefs list it: `- task-1 [completed`, in JSON. */
const TASK_LINE = /\\n- (\S+) \[(?:pending|executing|completed|failed|skipped|blocked)/;

/** Sends a reply chunk by chunk, with its pauses and its accident. */
async function play(reply: ScriptedReply, writer: ReplyWriter, gone: AbortSignal): Promise<void> {
  const left = new Promise<'gone'>(resolve => gone.addEventListener('abort', () => resolve('gone')));
  const chunks = toChunks(reply, writer);
  if (reply.servedModel !== undefined) writer.servedModel = reply.servedModel;
  for (let at = 0; at <= chunks.length; at++) {
    if (reply.hold && (reply.hold.atChunk ?? 0) === at) await Promise.race([reply.hold.until, left]);
    if (gone.aborted) return;
    if (reply.error && (reply.error.afterChunks ?? 0) === at) return writer.error(reply.error);
    if (reply.dropAfterChunks === at) {
      writer.open();
      return writer.drop();
    }
    if (reply.stallAfterChunks === at) {
      writer.open();
      await left;
      return;
    }
    if (reply.delayMs) await sleep(reply.delayMs);
    chunks[at]?.();
  }
  if (reply.holdEnd) await Promise.race([reply.holdEnd, left]);
  if (gone.aborted) return;
  const finish = reply.finishReason ?? (reply.toolCalls?.length ? 'tool_calls' : 'stop');
  writer.finish(finish, reply.usage === undefined ? countUsage(reply) : reply.usage);
}

function toChunks(reply: ScriptedReply, writer: ReplyWriter): (() => void)[] {
  const size = reply.chunkChars ?? 64;
  const chunks: (() => void)[] = [];
  for (const part of split(reply.reasoning ?? '', size)) chunks.push(() => writer.reasoning(part));
  for (const part of split(reply.text ?? '', size)) chunks.push(() => writer.text(part));
  for (const [index, call] of (reply.toolCalls ?? []).entries()) {
    const id = call.id === null ? undefined : (call.id ?? `call_${writer.id.slice(-12)}_${index}`);
    chunks.push(() => writer.toolStart(index, call.name, id));
    for (const part of split(argumentText(call), size)) chunks.push(() => writer.toolInput(index, part));
  }
  return chunks;
}

function argumentText(call: ScriptedToolCall): string {
  return typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments ?? {});
}

function split(text: string, size: number): string[] {
  const parts: string[] = [];
  for (let at = 0; at < text.length; at += size) parts.push(text.slice(at, at + size));
  return parts;
}

function countUsage(reply: ScriptedReply): WireUsage {
  const calls = (reply.toolCalls ?? []).map(argumentText).join('');
  const reasoningTokens = Math.ceil((reply.reasoning ?? '').length / 4);
  const completionTokens = reasoningTokens + Math.ceil(((reply.text ?? '') + calls).length / 4) + 1;
  return { promptTokens: 100, completionTokens, cachedTokens: 0, reasoningTokens };
}
