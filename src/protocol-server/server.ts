/**
 * A small model server on a loopback port that speaks the protocols of OpenAI and Anthropic: request parsing,
 * and replies streamed or whole. What to answer is for its users to say, such as the scripted model of tests.
 */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { errorText } from '../core/text/error-text.js';
import { isRecord } from '../core/text/json.js';
import type { Protocol } from '../models/endpoint.js';
import { caught, pathOf } from '../shared/http-guard.js';
import { COUNT_TOKENS_PATH, countTokens } from './anthropic/count-tokens.js';
import type { CacheCount } from './cache/prefix-cache.js';
import type { PromptCache } from './cache/prompt-cache.js';
import { FAULTS } from './faults/all.js';
import type { Fault } from './faults/fault.js';
import { type Exchange, play, playParts, sendError, sendJson } from './play.js';
import type { Json } from './protocol.js';
import { type ScriptedReply, toFullReply, type WireError } from './reply.js';
import { type WireBody, wireText } from './request.js';
import { Seal } from './seal.js';
import { protocolAt, SIDES } from './sides.js';

/** A request for a reply as the server read it. */
export interface ChatRequest {
  /** Number of this request at the server, from 0. */
  index: number;
  protocol: Protocol;
  /** Names in lower case, as Node gives them. */
  headers: Record<string, string>;
  /** The request in the form of chat completions, whatever its protocol. */
  body: WireBody;
  /** The body as it was sent. */
  sent: Record<string, unknown>;
  /** The system messages, joined. */
  system: string;
  /** Text of the last user message; empty without one. */
  lastUser: string;
  /** Names of the tools offered, in order. */
  toolNames: string[];
  /** What the provider would answer to it, where it breaks the provider's rules: then so does the server. */
  refusal: WireError | null;
  /** Its tokens, and what of them the provider's cache would have had; null until it is answered with a reply. */
  cache: CacheCount | null;
  /** Aborted when the client leaves before the reply has ended. */
  gone: AbortSignal;
}

export interface ProtocolServerOptions {
  /** Told of every request for a reply, those too that are refused. */
  arrived?(request: ChatRequest): void;
  /** Answers one request that keeps the rules. A throw becomes a 500 with its message. */
  handle(request: ChatRequest): Promise<ScriptedReply>;
  /** Counts the tokens of requests. Without it a reply says of them what its script says, or nothing. */
  cache?: PromptCache;
  /** Ids listed at `/v1/models`. Default none. */
  models?: readonly string[];
  /** Default 0: any free port. */
  port?: number;
}

export interface ProtocolServer {
  /** Base URL for clients, ending in `/v1`. */
  baseUrl: string;
  port: number;
  /** Ends open connections too. */
  close(): Promise<void>;
}

/** Longer than any pause between two calls of a run: a closed idle socket would look like a model failure. */
const KEEP_ALIVE_MS = 600_000;
const MAX_BODY_BYTES = 64 * 1024 * 1024;

/** Starts the server on 127.0.0.1. */
export async function startProtocolServer(options: ProtocolServerOptions): Promise<ProtocolServer> {
  let requests = 0;
  let seal = new Seal();
  const server = createServer(
    caught((req, res) => answer(req, res, { options, seal, nextIndex: () => requests++ }), failInside),
  );
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.headersTimeout = KEEP_ALIVE_MS + 1_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  // What comes back at the same address is the same server: it takes what it has signed.
  seal = new Seal(`port ${port}`);
  return { baseUrl: `http://127.0.0.1:${port}/v1`, port, close: () => close(server) };
}

async function close(server: Server): Promise<void> {
  await new Promise<void>(resolve => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

interface Setting {
  options: ProtocolServerOptions;
  seal: Seal;
  nextIndex(): number;
}

async function answer(req: IncomingMessage, res: ServerResponse, setting: Setting): Promise<void> {
  const path = pathOf(req);
  const side = SIDES[callerOf(req)];
  if (req.method === 'GET' && path === '/v1/models') {
    const data = (setting.options.models ?? []).map(id => side.model(id));
    return sendJson(res, 200, { object: 'list', data, has_more: false });
  }
  const protocol = protocolAt(path);
  if (req.method === 'POST' && path === COUNT_TOKENS_PATH) return count(req, res, setting.seal);
  if (req.method !== 'POST' || protocol === undefined) {
    return sendError(
      { status: 404, message: `No such path: ${req.method} ${path}` },
      { side, response: res },
    );
  }
  const sent = parseBody(await readBody(req));
  const body = sent && side.toChat(sent);
  if (!body) {
    const error = { status: 400, message: 'The body is no request for a reply.' };
    return sendError(error, { side, response: res });
  }
  const headers = headersOf(req);
  const gone = new AbortController();
  res.once('close', () => gone.abort());
  const request: ChatRequest = {
    index: setting.nextIndex(),
    protocol,
    headers,
    body,
    sent,
    ...textsOf(body),
    refusal: side.refuse(sent, setting.seal, headers),
    cache: null,
    gone: gone.signal,
  };
  setting.options.arrived?.(request);
  const script = request.refusal ? { error: request.refusal } : await setting.options.handle(request);
  await respond(script, request, setting.options.cache, {
    side,
    response: res,
    sent,
    seal: setting.seal,
    gone: gone.signal,
  });
}

async function count(req: IncomingMessage, res: ServerResponse, seal: Seal): Promise<void> {
  const counted = countTokens(parseBody(await readBody(req)) ?? {}, seal, headersOf(req));
  if ('status' in counted) sendError(counted, { side: SIDES.anthropic, response: res });
  else sendJson(res, 200, counted);
}

/** Plays the reply, or what its fault makes of it. Faults of a stream are for requests that stream. */
async function respond(
  script: ScriptedReply,
  request: ChatRequest,
  cache: PromptCache | undefined,
  exchange: Exchange,
): Promise<void> {
  const fault: Fault = script.fault === undefined ? {} : FAULTS[script.fault];
  const answered = fault.answer?.(request.protocol, request.sent);
  if (answered) return sendError(answered, exchange);
  const said = fault.reply?.(script) ?? script;
  if (said.error === undefined || said.error.afterChunks)
    request.cache = cache?.read(request.protocol, request.sent) ?? null;
  const reply = toFullReply(said, { index: request.index, model: request.body.model }, request.cache);
  if (fault.whole) return play(said, reply, { ...exchange, sent: { ...request.sent, stream: false } });
  if (!fault.stream || request.sent.stream !== true) return play(said, reply, exchange);
  const stream = exchange.side.stream(reply, exchange.sent, exchange.seal);
  await playParts(fault.stream(stream, request.protocol, exchange.seal), fault.headers, exchange);
}

/** Where the path does not say which protocol the client speaks, a header of Anthropic's clients does. */
function callerOf(req: IncomingMessage): Protocol {
  const usual = req.headers['anthropic-version'] === undefined ? 'openai-compatible' : 'anthropic';
  return protocolAt(pathOf(req)) ?? usual;
}

function headersOf(req: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(req.headers)) headers[name] = String(value);
  return headers;
}

function textsOf(body: WireBody): Pick<ChatRequest, 'system' | 'lastUser' | 'toolNames'> {
  const systems = body.messages.filter(message => message.role === 'system' || message.role === 'developer');
  const lastUser = body.messages.findLast(message => message.role === 'user');
  return {
    system: systems.map(wireText).join('\n'),
    lastUser: lastUser ? wireText(lastUser) : '',
    toolNames: body.tool_choice === 'none' ? [] : (body.tools ?? []).map(tool => tool.function.name),
  };
}

async function readBody(req: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of req) {
    const bytes = part as Buffer;
    size += bytes.length;
    if (size > MAX_BODY_BYTES) throw new Error('The request body is too large.');
    parts.push(bytes);
  }
  return Buffer.concat(parts).toString('utf8');
}

function parseBody(text: string): Json | null {
  try {
    const body: unknown = JSON.parse(text);
    return isRecord(body) ? body : null;
  } catch {
    return null;
  }
}

function failInside(res: ServerResponse, error: unknown, req: IncomingMessage): void {
  sendError({ status: 500, message: errorText(error) }, { side: SIDES[callerOf(req)], response: res });
}
