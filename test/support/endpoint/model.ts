/**
 * The scripted model of our own tests, as strict as the providers are: it speaks OpenAI's two protocols and Anthropic's,
 * refuses what they refuse, counts what their prompt caches would have had, and knows every fault.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  headersOf,
  type Json,
  type ModelExchange,
  type ChatRequest as PlainRequest,
  readJson,
  startModelServer,
} from '../../../packages/test-kit/model-server.js';
import { type FrameStream, type Part, play, playWhole, sendError } from '../../../packages/test-kit/play.js';
import {
  type ScriptedModel as PlainModel,
  prompter,
  type Script,
} from '../../../packages/test-kit/scripted-model.js';
import {
  type PlainReply,
  type ScriptedUsage,
  toFullReply,
  type WireError,
} from '../../../packages/test-kit/scripted-reply.js';
import type { Protocol } from '../../../src/models/provider/endpoint.js';
import { estimateTokens } from '../../../src/run/limits/tokens.js';
import { pathOf } from '../../../src/shared/http/http-guard.js';
import { COUNT_TOKENS_PATH, countTokens } from './anthropic/count-tokens.js';
import type { CacheCount } from './cache/prefix-cache.js';
import { PromptCache } from './cache/prompt-cache.js';
import { FAULTS } from './faults/all.js';
import type { Fault } from './faults/fault.js';
import type { FaultName } from './faults/names.js';
import type { ProtocolSide } from './protocol.js';
import { refusedOption, unknownModel, wrongKey } from './refusals.js';
import { Seal } from './seal.js';
import { SIDES } from './sides.js';

export type { ScriptedToolCall } from '../../../packages/test-kit/scripted-reply.js';

/** Usage is by default as counted, with what the provider's cache would have had. */
export interface ScriptedReply extends Omit<PlainReply, 'error'> {
  /** With `afterChunks`, an error event in the stream. */
  error?: WireError & { afterChunks?: number };
  fault?: FaultName;
}

export interface ChatRequest extends PlainRequest {
  protocol: Protocol;
  /** The body as it was sent. */
  sent: Json;
  /** What the provider would answer to it, where it breaks the provider's rules: then so does the server. */
  refusal: WireError | null;
  /** Its tokens, and what of them the provider's cache would have had; null until it is answered with a reply. */
  cache: CacheCount | null;
  /** Aborted when the client leaves before the reply has ended. */
  gone: AbortSignal;
}

export interface ScriptedModelOptions {
  reply: Script<ChatRequest, ScriptedReply>;
  /** Options that this endpoint does not know: a request with one is answered with a 400 that names it. */
  rejects?: readonly string[];
  /** Ids listed at `/v1/models`; when given, a request for another model is answered with 404. */
  models?: readonly string[];
  /** When given, requests without this key are answered with 401. */
  apiKey?: string;
  /** Default 0: any free port. */
  port?: number;
}

export interface ScriptedModel extends Omit<PlainModel, 'requests' | 'requestArrived'> {
  /** Every request that arrived, refused ones too, oldest first. */
  requests: ChatRequest[];
  /** Resolves with the request number `index` (from 0), at once if it has arrived. */
  requestArrived(index: number): Promise<ChatRequest>;
  /** Empties the prompt caches: what comes next costs what it would on another day. */
  forgetCaches(): void;
}

type Exchange = ModelExchange<ProtocolSide>;

/** `baseUrl` without its `/v1` is that for `ANTHROPIC_BASE_URL`. */
export async function startScriptedModel(options: ScriptedModelOptions): Promise<ScriptedModel> {
  const { models = [], port } = options;
  const script = prompter<ChatRequest, ScriptedReply>(options.reply);
  const cache = new PromptCache();
  const seal = new Seal();
  const server = await startModelServer({
    port,
    protocols: [SIDES['openai-compatible'], SIDES['openai-responses'], SIDES.anthropic],
    answer: async (plain, exchange) => {
      const { wire: side, sent, response } = exchange;
      const gone = new AbortController();
      response.once('close', () => gone.abort());
      const refusal = side.refuse(sent, seal, plain.headers);
      const request: ChatRequest = {
        ...plain,
        protocol: side.name,
        sent,
        refusal,
        cache: null,
        gone: gone.signal,
      };
      script.arrived(request);
      const error = refusal ?? refuse(request, options);
      await respond(error ? { error } : await script.next(request), request, exchange, { cache, seal });
    },
    elsewhere: (req, response) => elsewhere(req, response, models, seal),
  });
  // What comes back at the same address is the same server: it takes what it has signed.
  seal.key = `port ${server.port}`;
  const { requests, requestArrived } = script;
  const baseUrl = `http://127.0.0.1:${server.port}/v1`;
  return { ...server, requests, requestArrived, baseUrl, forgetCaches: () => cache.forget() };
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

/** The list of models, and the count of a request's tokens. */
async function elsewhere(
  req: IncomingMessage,
  response: ServerResponse,
  models: readonly string[],
  seal: Seal,
): Promise<void> {
  const path = pathOf(req);
  // Where the path does not say which protocol the client speaks, a header of Anthropic's clients does.
  const side = SIDES[req.headers['anthropic-version'] === undefined ? 'openai-compatible' : 'anthropic'];
  const send = (body: object) =>
    void response.writeHead(200, { 'content-type': JSON_TYPE }).end(JSON.stringify(body));
  if (req.method === 'GET' && path === '/v1/models')
    return send({ object: 'list', data: models.map(side.model), has_more: false });
  if (req.method !== 'POST' || path !== COUNT_TOKENS_PATH) {
    const message = `No such path: ${req.method} ${path}`;
    return sendError({ status: 404, message }, { wire: side, response });
  }
  const counted = countTokens((await readJson(req)) ?? {}, seal, headersOf(req));
  if ('status' in counted) sendError(counted, { wire: SIDES.anthropic, response });
  else send(counted);
}

const JSON_TYPE = 'application/json';

/** Plays the reply, or what its fault makes of it. Faults of a stream are for requests that stream. */
async function respond(
  { fault: name, ...script }: ScriptedReply,
  request: ChatRequest,
  exchange: Exchange,
  { cache, seal }: { cache: PromptCache; seal: Seal },
): Promise<void> {
  const { wire: side, sent } = exchange;
  const fault: Fault = name === undefined ? {} : FAULTS[name];
  const answered = fault.answer?.(side.name, sent);
  if (answered) return sendError(answered, exchange);
  const { error, ...said }: ScriptedReply = fault.reply?.(script) ?? script;
  if (error && !error.afterChunks) return play(NOTHING, { ...said, error }, exchange);
  request.cache = cache.read(side.name, sent);
  const { usage = counted(said, request.cache) } = said;
  const reply = toFullReply({ ...said, usage }, request.body.model);
  if (fault.whole || sent.stream !== true) return playWhole(side.whole(reply, sent, seal), said, exchange);
  const stream = side.stream(reply, sent, seal);
  const { head, chunks } = stream;
  const failing = error && {
    head,
    chunks: chunks.slice(0, error.afterChunks),
    tail: [side.errorFrame(error)],
  };
  const broken = fault.stream && { ...NOTHING, head: fault.stream(stream, side.name, seal) };
  await play(broken ?? failing ?? stream, said, exchange, fault.headers);
}

const NOTHING: FrameStream<Part> = { head: [], chunks: [], tail: [] };

/** The usage that the provider would report. */
function counted({ reasoning, text, toolCalls }: ScriptedReply, input: CacheCount): ScriptedUsage {
  const reasoningTokens = estimateTokens(reasoning ?? '');
  const calls = (toolCalls ?? []).map(({ arguments: given = {} }) =>
    typeof given === 'string' ? given : JSON.stringify(given),
  );
  return {
    inputTokens: input.inputTokens,
    cachedInputTokens: input.cached,
    cacheWriteInputTokens: input.written,
    outputTokens: reasoningTokens + estimateTokens((text ?? '') + calls.join('')) + 1,
    reasoningTokens,
  };
}
