/** A tool server over HTTP that greets, and answers every method as the test says. */
import type { ServerResponse } from 'node:http';
import { type Served, serveHttp } from './serve.js';

export type McpAnswer = (id: number, res: ServerResponse) => void;

/** `answers` by the method of JSON-RPC, or `GET`. `session`: the one that it opens. `told`: the method of each request, of JSON-RPC where it has one. */
export function serveMcp(
  answers: Record<string, McpAnswer>,
  capabilities: object = { tools: {} },
  session?: string,
  told: (method: string) => void = () => {},
): Promise<Served> {
  return serveHttp(async (req, res) => {
    let body = '';
    for await (const chunk of req) body += chunk;
    const { id, method } = body === '' ? {} : JSON.parse(body);
    told(method ?? req.method);
    if (method === 'initialize' && session !== undefined) res.setHeader('mcp-session-id', session);
    if (method === 'initialize')
      return json(res, { jsonrpc: '2.0', id, result: { ...GREETING, capabilities } });
    const answer = answers[method ?? req.method];
    if (answer) answer(id, res);
    else res.writeHead(req.method === 'GET' ? 405 : 202).end();
  });
}

const GREETING = {
  protocolVersion: '2025-06-18',
  serverInfo: { name: 'far', version: '1' },
};

export function json(res: ServerResponse, value: unknown): void {
  res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}
