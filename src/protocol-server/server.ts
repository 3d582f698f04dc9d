/**
 * A small server of the OpenAI protocol on a loopback port: request parsing and streamed replies,
 * and nothing about what to answer. The scripted model of tests and the rehearsal model use it.
 */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { errorText } from '../core/error-text.js';
import { type ReplyInfo, ReplyWriter } from './reply.js';

interface WireToolCall {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}

/** A message as clients of the protocol send it. */
export interface WireMessage {
  role: 'system' | 'developer' | 'user' | 'assistant' | 'tool';
  content?: string | null | { type: string; text?: string }[];
  tool_calls?: WireToolCall[];
  tool_call_id?: string;
}

/** The body of a request, with the fields that this project sends; others are kept as they came. */
export interface WireBody {
  model: string;
  messages: WireMessage[];
  tools?: { type: 'function'; function: { name: string; description?: string; parameters?: object } }[];
  stream?: boolean;
  stream_options?: { include_usage?: boolean };
  response_format?: { type: string; json_schema?: { name: string; strict?: boolean; schema: object } };
  temperature?: number;
  max_tokens?: number;
  max_completion_tokens?: number;
  [other: string]: unknown;
}

/** A chat request as the server read it. */
export interface ChatRequest {
  /** Number of this chat request at the server, from 0. */
  index: number;
  /** Names in lower case, as Node gives them. */
  headers: Record<string, string>;
  body: WireBody;
  /** The system messages, joined. */
  system: string;
  /** Text of the last user message; empty without one. */
  lastUser: string;
  /** Names of the tools offered, in order. */
  toolNames: string[];
  /** Aborted when the client leaves before the reply has ended. */
  gone: AbortSignal;
}

export interface ProtocolServerOptions {
  /** Answers one chat request. A throw becomes a 500 with its message. */
  handle(request: ChatRequest, reply: ReplyWriter): Promise<void>;
  /** Ids listed at `/v1/models`. Default none. */
  models?: readonly string[];
  /** Default 0: any free port. */
  port?: number;
  /** The server and its connections keep no process alive. Default false. */
  background?: boolean;
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
  const server = createServer((req, res) => {
    answer(req, res, options, () => requests++).catch((error: unknown) => failInside(res, error));
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.headersTimeout = KEEP_ALIVE_MS + 1_000;
  if (options.background) server.on('connection', socket => socket.unref()).unref();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return { baseUrl: `http://127.0.0.1:${port}/v1`, port, close: () => close(server) };
}

async function close(server: Server): Promise<void> {
  await new Promise<void>(resolve => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

async function answer(
  req: IncomingMessage,
  res: ServerResponse,
  options: ProtocolServerOptions,
  nextIndex: () => number,
): Promise<void> {
  const path = new URL(req.url ?? '/', 'http://localhost').pathname;
  if (req.method === 'GET' && path === '/v1/models') {
    const data = (options.models ?? []).map(id => ({
      id,
      object: 'model',
      created: 0,
      owned_by: 'steersman',
    }));
    sendJson(res, 200, { object: 'list', data });
    return;
  }
  if (req.method !== 'POST' || path !== '/v1/chat/completions') {
    sendJson(res, 404, { error: { message: `No such path: ${req.method} ${path}`, type: 'not_found' } });
    return;
  }
  const body = parseBody(await readBody(req));
  if (!body) {
    sendJson(res, 400, { error: { message: 'The body is no chat request.', type: 'invalid_request_error' } });
    return;
  }
  const gone = new AbortController();
  res.once('close', () => gone.abort());
  const request = describe(nextIndex(), req, body, gone.signal);
  const info: ReplyInfo = { index: request.index, model: body.model };
  await options.handle(request, new ReplyWriter(res, info, body.stream_options?.include_usage === true));
}

function describe(index: number, req: IncomingMessage, body: WireBody, gone: AbortSignal): ChatRequest {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(req.headers)) headers[name] = String(value);
  const systems = body.messages.filter(message => message.role === 'system' || message.role === 'developer');
  const lastUser = body.messages.findLast(message => message.role === 'user');
  return {
    index,
    headers,
    body,
    system: systems.map(wireText).join('\n'),
    lastUser: lastUser ? wireText(lastUser) : '',
    toolNames: (body.tools ?? []).map(tool => tool.function.name),
    gone,
  };
}

/** The text of a wire message; empty when it has none. */
export function wireText(message: WireMessage): string {
  if (typeof message.content === 'string') return message.content;
  return (message.content ?? []).map(part => part.text ?? '').join('');
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

function parseBody(text: string): WireBody | null {
  try {
    const body = JSON.parse(text) as WireBody;
    return typeof body?.model === 'string' && Array.isArray(body.messages) ? body : null;
  } catch {
    return null;
  }
}

function sendJson(res: ServerResponse, status: number, body: object): void {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function failInside(res: ServerResponse, error: unknown): void {
  const message = errorText(error);
  if (res.headersSent) res.destroy();
  else sendJson(res, 500, { error: { message, type: 'server_error' } });
}
