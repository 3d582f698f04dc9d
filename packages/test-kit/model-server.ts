/** A model server on a loopback port: HTTP, and requests as scripts read them. Its users supply the answers. */
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { errorText, isRecord } from 'steersman/base';
import { caught, listenOn, pathOf } from 'steersman/shared';
import { type Exchange, sendError } from './play.js';
import type { WireError } from './scripted-reply.js';

export type Json = Record<string, unknown>;

/** A message as clients of chat completions send it. */
export interface WireMessage {
  role: 'system' | 'developer' | 'user' | 'assistant' | 'tool';
  content?: string | null | { type: string; text?: string }[];
  tool_calls?: { id: string; type: 'function'; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
}

/** A request in the form of chat completions; other fields are unchanged. */
export interface WireBody {
  model: string;
  messages: WireMessage[];
  tools?: { type: 'function'; function: { name: string; description?: string; parameters?: object } }[];
  response_format?: { type: string; json_schema?: { name: string; strict?: boolean; schema: object } };
  [other: string]: unknown;
}

/** A request for a reply, as the server read it. */
export interface ChatRequest {
  /** Number of this request at the server, from 0. */
  index: number;
  /** Header names are in lower case, as in Node. */
  headers: Record<string, string>;
  body: WireBody;
  /** The system messages, joined. */
  system: string;
  /** Text of the last user message; empty if there is no user message. */
  lastUser: string;
  /** Names of the tools offered, in order. */
  toolNames: string[];
}

/** The form of a protocol's requests and errors. */
export interface ModelProtocol {
  path: string;
  /** Returns the request as scripts read it; null if it lacks even the required outline. */
  toChat(body: Json): WireBody | null;
  /** Returns the body of an error answer; `id` identifies the request. */
  error(error: WireError, id: string): object;
}

export interface ModelExchange<P extends ModelProtocol> extends Exchange {
  wire: P;
  /** The body as the client sent it. */
  sent: Json;
}

export interface ModelServerOptions<P extends ModelProtocol> {
  protocols: readonly [P, ...P[]];
  /** Answers one request. A throw becomes a 500 with its message. */
  answer(request: ChatRequest, exchange: ModelExchange<P>): Promise<void>;
  /** Answers any other request. Default: status 404. */
  elsewhere?(request: IncomingMessage, response: ServerResponse): unknown;
  /** Default 0: any free port. */
  port?: number | undefined;
}

export interface LocalServer {
  port: number;
  /** Closes open connections too. */
  close(): Promise<void>;
}

/** Longer than any pause between two calls of a run: a closed idle socket would look like a model failure. */
const KEEP_ALIVE_MS = 600_000;

/** Starts an HTTP server on 127.0.0.1. */
export async function listen(listener: RequestListener, port = 0): Promise<LocalServer> {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, listener);
  const listening = await listenOn(server, { host: '127.0.0.1', ports: [port] });
  const close = async () => {
    listening.close();
    await listening.closed;
  };
  return { port: listening.port, close };
}

export function startModelServer<P extends ModelProtocol>(
  options: ModelServerOptions<P>,
): Promise<LocalServer> {
  const { protocols, answer, port } = options;
  const ofPath = (req: IncomingMessage) => protocols.find(({ path }) => path === pathOf(req));
  const fail = (error: WireError, req: IncomingMessage, response: ServerResponse) =>
    sendError(error, { wire: ofPath(req) ?? protocols[0], response });
  const notFound = (req: IncomingMessage, response: ServerResponse) =>
    fail({ status: 404, message: `No such path: ${req.method} ${pathOf(req)}` }, req, response);
  let requests = 0;
  async function handle(req: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const wire = req.method === 'POST' ? ofPath(req) : undefined;
    if (!wire) return (options.elsewhere ?? notFound)(req, response);
    const sent = await readJson(req);
    const body = sent && wire.toChat(sent);
    if (!body) return fail({ status: 400, message: 'The body is not a request for a reply.' }, req, response);
    const request = { index: requests++, headers: headersOf(req), body, ...textsOf(body) };
    return answer(request, { wire, response, sent });
  }
  const failInside = (response: ServerResponse, error: unknown, req: IncomingMessage) =>
    fail({ status: 500, message: errorText(error) }, req, response);
  return listen(caught(handle, failInside), port);
}

export function headersOf(req: IncomingMessage): Record<string, string> {
  return Object.fromEntries(Object.entries(req.headers).map(([name, value]) => [name, String(value)]));
}

/** Returns the object that the client sent; null if the body is not an object. */
export async function readJson(req: IncomingMessage): Promise<Json | null> {
  const body = await text(req);
  try {
    const sent: unknown = JSON.parse(body);
    return isRecord(sent) ? sent : null;
  } catch {
    return null;
  }
}

function textsOf(body: WireBody): Pick<ChatRequest, 'system' | 'lastUser' | 'toolNames'> {
  const systems = body.messages.filter(({ role }) => role === 'system' || role === 'developer');
  const lastUser = body.messages.findLast(({ role }) => role === 'user');
  return {
    system: systems.map(wireText).join('\n'),
    lastUser: lastUser ? wireText(lastUser) : '',
    toolNames: body.tool_choice === 'none' ? [] : (body.tools ?? []).map(tool => tool.function.name),
  };
}

/** Returns the text of a wire message; empty if it has no text. */
export function wireText({ content }: WireMessage): string {
  return typeof content === 'string' ? content : (content ?? []).map(part => part.text ?? '').join('');
}
