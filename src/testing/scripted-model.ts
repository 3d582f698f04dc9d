/**
 * A model that answers by script, over real HTTP and server-sent events: tests see the whole path
 * (SDK, streaming, tools, retries) with replies of their own.
 */
import { PromptCache } from '../protocol-server/cache/prompt-cache.js';
import { refusedOption, unknownModel, wrongKey } from '../protocol-server/refusals.js';
import type { ScriptedReply, WireError } from '../protocol-server/reply.js';
import { type ChatRequest, startProtocolServer } from '../protocol-server/server.js';
import { EVERY_TASK } from './role-outputs.js';

export type { ScriptedReply, ScriptedToolCall } from '../protocol-server/reply.js';

export interface ScriptedModelOptions {
  /** Replies in order, or a function of the request; `index` counts answered requests from 0. */
  reply:
    | readonly ScriptedReply[]
    | ((request: ChatRequest, index: number) => ScriptedReply | Promise<ScriptedReply>);
  /** Options that this endpoint does not know: a request with one is answered with a 400 that names it. */
  rejects?: readonly string[];
  /** Ids listed at `/v1/models`; when given, a request for another model is answered with 404. */
  models?: readonly string[];
  /** When given, requests without this key are answered with 401. */
  apiKey?: string;
  /** Default 0: any free port. */
  port?: number;
}

export interface ScriptedModel {
  /** For `OPENAI_BASE_URL`, and without its `/v1` for `ANTHROPIC_BASE_URL`. */
  baseUrl: string;
  port: number;
  /** Every chat request that arrived, rejected ones too, oldest first. */
  requests: ChatRequest[];
  /** Resolves with the request number `index` (from 0), at once if it has arrived. */
  requestArrived(index: number): Promise<ChatRequest>;
  /** Empties the prompt caches: what comes next costs what it would on another day. */
  forgetCaches(): void;
  close(): Promise<void>;
}

/** Starts a scripted model on a loopback port. A list that is used up answers with a 400 that says so. */
export async function startScriptedModel(options: ScriptedModelOptions): Promise<ScriptedModel> {
  const requests: ChatRequest[] = [];
  const waiting: { index: number; resolve: (request: ChatRequest) => void }[] = [];
  let answered = 0;
  const cache = new PromptCache();
  const server = await startProtocolServer({
    ...(options.port === undefined ? {} : { port: options.port }),
    models: options.models ?? [],
    cache,
    arrived: request => {
      requests.push(request);
      for (const waiter of waiting) if (waiter.index === request.index) waiter.resolve(request);
    },
    handle: async request => {
      const refusal = refuse(request, options);
      if (refusal) return { error: refusal };
      const index = answered++;
      return withEveryTask(await nextReply(options.reply, request, index), request);
    },
  });
  return {
    ...server,
    requests,
    forgetCaches: () => cache.forget(),
    requestArrived: index => {
      const there = requests[index];
      return there ? Promise.resolve(there) : new Promise(resolve => waiting.push({ index, resolve }));
    },
  };
}

function refuse(request: ChatRequest, options: ScriptedModelOptions): WireError | null {
  const { protocol, headers, sent, body } = request;
  // Anthropic's clients use either header.
  const key = headers['x-api-key'] ?? headers.authorization?.replace(/^Bearer /, '');
  if (options.apiKey !== undefined && key !== options.apiKey) return wrongKey(protocol);
  if (options.models && !options.models.includes(body.model)) return unknownModel(protocol, body.model);
  const option = options.rejects?.find(name => sent[name] !== undefined);
  return option === undefined ? null : refusedOption(protocol, option);
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
