import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { McpConnection } from '../../../src/mcp/connection.js';
import { resolveServer } from '../../../src/mcp/resolve-server.js';

const open: (() => void)[] = [];
afterEach(() => {
  for (const close of open.splice(0)) close();
});

async function serve(handle: RequestListener): Promise<string> {
  const server = createServer(handle);
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  open.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function serverAt(url: string, startTimeoutMs = 10_000) {
  const config = { file: '/p/.mcp.json', dir: '/p', servers: [], warnings: [] };
  const given = {
    type: 'http',
    name: 'far',
    url: `${url}/mcp`,
    headers: { 'x-key': 'secret-1' },
    startTimeoutMs,
  } as const;
  return resolveServer(given, config, { workspace: '/w', lookup: () => undefined });
}

test('tool server over HTTP: redirect to another host → refused by name; its headers stay (TR9)', async () => {
  const heard: unknown[] = [];
  const other = await serve((req, res) => {
    heard.push(req.headers['x-key']);
    res.writeHead(404).end();
  });
  const url = await serve((_req, res) => res.writeHead(307, { location: `${other}/mcp` }).end());
  await expect(McpConnection.open(serverAt(url), new AbortController().signal)).rejects.toThrow(
    `redirects to ${other}`,
  );
  expect(heard).toEqual([]);
});

test.each([
  ['an answer', 'application/json', '{"x":"'],
  ['an event', 'text/event-stream', 'data: '],
])('tool server over HTTP: %s that does not end → refused at 64 MB', async (_, type, begin) => {
  const megabyte = 'x'.repeat(1024 * 1024);
  let sent = 0;
  const url = await serve((_req, res) => {
    res.writeHead(200, { 'content-type': type }).write(begin);
    const more = () => {
      while (sent < 200 && !res.destroyed) {
        sent += 1;
        if (!res.write(megabyte)) return;
      }
    };
    res.on('drain', more);
    more();
  });
  await expect(McpConnection.open(serverAt(url, 3_000), new AbortController().signal)).rejects.toThrow(
    /far can not be reached/,
  );
  expect(sent).toBeLessThan(80);
});

test('tool server: a list of tools that does not end → refused at 8 MB', async () => {
  let pages = 0;
  const results: Record<string, () => object> = {
    initialize: () => ({
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'far', version: '1' },
    }),
    'tools/list': () => {
      pages += 1;
      const description = 'x'.repeat(1_000_000);
      return { tools: [{ name: `t${pages}`, description, inputSchema: {} }], nextCursor: `${pages}` };
    },
  };
  const url = await serve(async (req, res) => {
    let body = '';
    for await (const chunk of req) body += chunk;
    const { id, method } = body === '' ? {} : JSON.parse(body);
    const result = results[method]?.();
    if (result === undefined) return void res.writeHead(req.method === 'GET' ? 405 : 202).end();
    res.writeHead(200, { 'content-type': 'application/json' });
    res.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  });
  const connection = await McpConnection.open(serverAt(url), new AbortController().signal);
  await expect(connection.listTools()).rejects.toThrow('lists more than 8 MB of tools');
  expect(pages).toBeLessThan(10);
  await connection.close();
});
