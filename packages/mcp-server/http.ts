/** The server over streamable HTTP, with a session for each client. Default address: loopback. */

import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { Hono } from 'hono';
import { errorText } from 'steersman/base';
import { serveGuarded } from 'steersman/shared';
import { createMcpServer } from './server.js';
import { Calls, type ToolContext } from './tools/tool.js';

export interface HttpOptions {
  host: string;
  port: number;
  /** Bearer token that clients must send. Required unless `host` is a loopback address. */
  token: string | null;
  idleMs?: number;
}

export interface HttpServed {
  url: string;
  closed: Promise<unknown>;
  close(): Promise<void>;
}

const PATH = '/mcp';
const MOST_SESSIONS = 64;
/** A session without requests for this long makes room for another client. */
const IDLE_MS = 300_000;

interface Session {
  transport: WebStandardStreamableHTTPServerTransport;
  server: McpServer;
  /** Number of its pending requests, including the event stream. */
  inFlight: number;
  usedAt: number;
}

/** Starts the server. Throws a SteersmanError if it can't listen, or would serve other machines without a token. */
export async function serveHttp(
  context: Omit<ToolContext, 'calls'>,
  options: HttpOptions,
): Promise<HttpServed> {
  const { idleMs = IDLE_MS, ...served } = options;
  const sessions = new Sessions({ ...context, calls: new Calls() }, idleMs);
  const app = new Hono<{ Bindings: HttpBindings }>()
    .all(PATH, ({ req, env }) => sessions.handle(req.raw, env.outgoing))
    .notFound(() => refuse(404, `The server is at ${PATH}.`))
    .onError(error => refuse(500, errorText(error)));
  const guarded = await serveGuarded(app.fetch, { ...served, variable: 'STEERSMAN_MCP_TOKEN', refuse });
  return {
    url: `${guarded.url}${PATH}`,
    closed: guarded.closed,
    close: async () => {
      await sessions.close();
      guarded.close();
    },
  };
}

class Sessions {
  readonly #context: ToolContext;
  readonly #idleMs: number;
  readonly #open = new Map<string, Session>();
  #beginning = 0;

  constructor(context: ToolContext, idleMs: number) {
    this.#context = context;
    this.#idleMs = idleMs;
  }

  async handle(request: Request, outgoing: ServerResponse): Promise<Response> {
    const id = request.headers.get('mcp-session-id');
    if (id === null) return this.#begin(request, outgoing);
    const session = this.#open.get(id);
    // A client that receives 404 starts a new session.
    if (session === undefined) return refuse(404, 'There is no such session, or it has ended.');
    session.inFlight += 1;
    outgoing.once('close', () => {
      session.inFlight -= 1;
      session.usedAt = Date.now();
    });
    return session.transport.handleRequest(request);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open.values()].map(({ server }) => server.close()));
  }

  /** The transport refuses any request that is not an initialization. */
  async #begin(request: Request, outgoing: ServerResponse): Promise<Response> {
    if (!this.#hasRoom()) return refuse(503, 'The maximum number of clients is connected. Try again later.');
    this.#beginning += 1;
    outgoing.once('close', () => {
      this.#beginning -= 1;
    });
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: id => {
        this.#open.set(id, { transport, server, inFlight: 0, usedAt: Date.now() });
      },
    });
    const server = createMcpServer(this.#context);
    // The SDK's own declarations disagree about optional properties.
    await server.connect(transport as Transport);
    server.server.onclose = () => void this.#open.delete(transport.sessionId ?? '');
    const answer = await transport.handleRequest(request);
    if (transport.sessionId === undefined) await server.close();
    return answer;
  }

  /** A session with a pending request is never closed for a new client. */
  #hasRoom(): boolean {
    if (this.#open.size + this.#beginning < MOST_SESSIONS) return true;
    const idle = [...this.#open.values()].filter(({ inFlight }) => inFlight === 0);
    const [oldest] = idle.sort((one, other) => one.usedAt - other.usedAt);
    if (oldest === undefined || Date.now() - oldest.usedAt < this.#idleMs) return false;
    void oldest.server.close();
    return true;
  }
}

function refuse(status: number, message: string): Response {
  const headers = status === 401 ? { 'www-authenticate': 'Bearer' } : {};
  const error = { code: -32_000, message };
  return Response.json({ jsonrpc: '2.0', error, id: null }, { status, headers });
}
