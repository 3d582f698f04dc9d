/** The server over streamable HTTP: a session for each client, on this machine's own address unless told otherwise. */

import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { errorText } from 'steersman/base';
import { SteersmanError } from 'steersman/client';
import { caught, pathOf, refusal } from 'steersman/shared';
import { createMcpServer } from './server.js';
import { Calls, type ToolContext } from './tools/tool.js';

export interface HttpOptions {
  host: string;
  port: number;
  /** Bearer token that clients have to show. Needed unless `host` is this machine's own address. */
  token: string | null;
  idleMs?: number;
}

export interface HttpServed {
  url: string;
  closed: Promise<unknown>;
  close(): Promise<void>;
}

const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '::1'];
const PATH = '/mcp';
const MOST_SESSIONS = 64;
/** One that asks nothing for so long makes room for another client. */
const IDLE_MS = 300_000;

interface Session {
  transport: StreamableHTTPServerTransport;
  server: McpServer;
  /** Its requests that wait for their answer, the stream among them that it listens on. */
  inFlight: number;
  usedAt: number;
}

/** Throws a SteersmanError where it can't listen, or would serve other machines without a token. */
export async function serveHttp(
  context: Omit<ToolContext, 'calls'>,
  options: HttpOptions,
): Promise<HttpServed> {
  const { host, port, token, idleMs = IDLE_MS } = options;
  const loopback = LOOPBACK.includes(host);
  if (!loopback && token === null)
    throw new SteersmanError(
      `Whoever reaches ${host} could start runs: a token is needed.`,
      'Set STEERSMAN_MCP_TOKEN to a long random text that clients send as a bearer token, or leave out --host.',
    );
  const sessions = new Sessions({ ...context, calls: new Calls() }, idleMs);
  const answer = (req: IncomingMessage, res: ServerResponse) => {
    const refused = refusal(req.headers, { loopback, token });
    if (refused !== null) return refuse(res, refused.status, refused.message);
    if (pathOf(req) !== PATH) return refuse(res, 404, `The server is at ${PATH}.`);
    return sessions.handle(req, res);
  };
  const http = createServer(caught(answer, (res, error) => refuse(res, 500, errorText(error))));
  http.listen(port, host);
  await once(http, 'listening').catch(error => {
    const message = `It can not listen on ${host}:${port}: ${errorText(error)}`;
    throw new SteersmanError(message, 'Give another port: --http 0 takes any.');
  });
  const address = http.address() as AddressInfo;
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return {
    url: `http://${name}:${address.port}${PATH}`,
    closed: once(http, 'close'),
    close: async () => {
      await sessions.close();
      http.close();
      http.closeAllConnections();
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

  async handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const id = req.headers['mcp-session-id'];
    if (id === undefined) return this.#begin(req, res);
    const session = this.#open.get(String(id));
    // 404 tells a client to begin anew.
    if (session === undefined) return refuse(res, 404, 'There is no such session (any more).');
    session.inFlight += 1;
    res.once('close', () => {
      session.inFlight -= 1;
      session.usedAt = Date.now();
    });
    return session.transport.handleRequest(req, res);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open.values()].map(({ server }) => server.close()));
  }

  /** The transport refuses whatever is no first request. */
  async #begin(req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (!this.#hasRoom())
      return refuse(res, 503, 'As many clients are connected as can be. Try again later.');
    this.#beginning += 1;
    res.once('close', () => {
      this.#beginning -= 1;
    });
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: id => {
        this.#open.set(id, { transport, server, inFlight: 0, usedAt: Date.now() });
      },
    });
    const server = createMcpServer(this.#context);
    // The SDK's own declarations differ where properties may be undefined.
    await server.connect(transport as Transport);
    server.server.onclose = () => void this.#open.delete(transport.sessionId ?? '');
    await transport.handleRequest(req, res);
    if (transport.sessionId === undefined) await server.close();
  }

  /** Nobody who waits for an answer gives way to a newcomer. */
  #hasRoom(): boolean {
    if (this.#open.size + this.#beginning < MOST_SESSIONS) return true;
    const idle = [...this.#open.values()].filter(({ inFlight }) => inFlight === 0);
    const [oldest] = idle.sort((one, other) => one.usedAt - other.usedAt);
    if (oldest === undefined || Date.now() - oldest.usedAt < this.#idleMs) return false;
    void oldest.server.close();
    return true;
  }
}

function refuse(res: ServerResponse, status: number, message: string): void {
  const headers = {
    'content-type': 'application/json',
    ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
  };
  res.writeHead(status, headers);
  res.end(JSON.stringify({ jsonrpc: '2.0', error: { code: -32_000, message }, id: null }));
}
