import type { RequestListener, ServerResponse } from 'node:http';
import { afterEach, expect, test, vi } from 'vitest';
import { McpConnection } from '../../../../src/mcp/connection/connection.js';
import { resolveServer } from '../../../../src/mcp/connection/resolve-server.js';
import { outward } from '../../../../src/shared/http/outward-fetch.js';
import type { SteersmanError } from '../../../../src/shared/process/errors.js';
import { json, type McpAnswer, serveMcp } from '../../../support/scripted-mcp.js';
import { serveHttp } from '../../../support/serve.js';

const open: (() => void)[] = [];
afterEach(() => {
  for (const close of open.splice(0)) close();
});

async function serve(handle: RequestListener): Promise<string> {
  const { url, close } = await serveHttp(handle);
  open.push(close);
  return url;
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
    /far cannot be reached/,
  );
  expect(sent).toBeLessThan(80);
});

const PAGE = `<html><title>Blocked</title>${'<p>no</p>'.repeat(2_000)}</html>`;
const refusing =
  (status: number, body: string, headers = {}): RequestListener =>
  (_req, res) =>
    void res.writeHead(status, headers).end(body);
test.each<[string, RequestListener, RegExp, RegExp]>([
  [
    'it wants a sign-in',
    refusing(401, '{"error":"invalid_token"}', {
      'www-authenticate': 'Bearer resource_metadata="https://x/y"',
    }),
    /^Tool server far refuses the connection \(address: [^)]*\): it answered HTTP 401: \{"error":"invalid_token"\}$/,
    /token.*"headers".*does not sign in/,
  ],
  [
    'a page of a firewall',
    refusing(403, PAGE),
    /refuses the connection .* HTTP 403: <html><title>Blocked.{0,400}…$/,
    /"headers"/,
  ],
  [
    'it speaks the older transport',
    refusing(405, 'Method Not Allowed'),
    /cannot be reached .* HTTP 405/,
    /streamable HTTP.*\/sse/,
  ],
  [
    'there is nothing at its address',
    refusing(404, 'Not Found'),
    /cannot be reached .* HTTP 404/,
    /streamable HTTP/,
  ],
  [
    'its greeting is none',
    async (req, res) => {
      let body = '';
      for await (const part of req) body += part;
      json(res, {
        jsonrpc: '2.0',
        id: JSON.parse(body).id,
        result: { protocolVersion: '2025-06-18', capabilities: {} },
      });
    },
    /^Tool server far cannot be reached [^:]*:[^)]*\): its greeting is not valid MCP \(serverInfo: .*\)$/,
    /Check that the server runs/,
  ],
])(
  'tool server over HTTP: %s → said so, in one line, with what to do',
  async (_what, handle, says, remedy) => {
    const started = McpConnection.open(serverAt(await serve(handle)), new AbortController().signal);
    const { message, remedy: advice } = await started.then(
      () => Promise.reject(new Error('it started')),
      (error: SteersmanError) => error,
    );
    expect(message).toMatch(says);
    expect(message).not.toContain('\n');
    expect(advice).toMatch(remedy);
  },
);

async function connectTo(
  answers: Record<string, McpAnswer>,
  session?: string,
  told?: (method: string) => void,
): Promise<McpConnection> {
  const { url, close } = await serveMcp(answers, { tools: {} }, session, told);
  open.push(close);
  const connection = await McpConnection.open(serverAt(url), new AbortController().signal);
  open.push(() => void connection.close());
  return connection;
}

function events(res: ServerResponse, ...data: string[]): ServerResponse {
  res.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const one of data) res.write(`${one.startsWith('id:') ? one : `data: ${one}`}\n\n`);
  return res;
}

function callEcho(connection: McpConnection) {
  const { signal } = new AbortController();
  const call = { tool: 'echo', arguments: {}, meta: {}, timeoutMs: 600_000, signal, onProgress: () => {} };
  return connection.callTool(call);
}

const resultFor = (id: number, text: string) =>
  JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }] } });

const ORDER = '{"id":12345678901234567890,"text":"é 12345678901234567890","n":1.5}';
const orderFor = (id: number) =>
  `{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"12345678901234567890"}],"structuredContent":${ORDER}}}`;

test.each<[string, McpAnswer]>([
  ['JSON', (id, res) => void res.writeHead(200, { 'content-type': 'application/json' }).end(orderFor(id))],
  ['an event', (id, res) => void events(res, orderFor(id)).end()],
  [
    'an event in pieces, with lines that end in a return',
    async (id, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const piece of `id: 12345678901234567890\r\ndata: ${orderFor(id)}\r\n\r\n`.match(/[\s\S]{1,7}/g) ??
        [])
        await new Promise(resolve => res.write(piece, resolve));
      res.end();
    },
  ],
])('FE1: an answer as %s → every digit comes as the server wrote it', async (_how, answer) => {
  const connection = await connectTo({ 'tools/call': answer });
  expect(await callEcho(connection)).toMatchObject({
    content: [{ text: '12345678901234567890' }],
    structuredContent: { id: '12345678901234567890', text: 'é 12345678901234567890', n: 1.5 },
  });
});

test.each<[string, McpAnswer, RegExp]>([
  [
    'a stream of events that are no JSON-RPC, which ends',
    (_, res) => events(res, 'hello', '{"jsonrpc":"1.0"}').end(),
    /closed before the answer came; it sent 2 events that are no JSON-RPC/,
  ],
  ['an empty stream, which ends', (_, res) => events(res).end(), /closed before the answer came$/],
  [
    'an answer to another request, in a stream that stays open',
    (_, res) => void events(res, resultFor(4711, 'what?')),
    /answered another request than the one that was sent: .*4711.*what\?/,
  ],
  [
    'an answer to another request, as JSON',
    (_, res) => json(res, JSON.parse(resultFor(4711, 'what?'))),
    /answered another request.*4711/,
  ],
  // github.com/helidon-io/helidon-mcp/issues/65
  [
    'an error that names no request',
    (_, res) => json(res, { jsonrpc: '2.0', id: null, error: { code: -32_603, message: 'Internal' } }),
    /it sent 1 event that is no JSON-RPC message$/,
  ],
  ['JSON without a message', (_, res) => json(res, []), /closed before the answer came/],
  ['no body at all', (_, res) => void res.writeHead(202).end(), /closed before the answer came/],
  [
    'a stream that can be taken up again, of a server that does not let it be',
    (_, res) => events(res, 'id: 1\nretry: 1\ndata: ').end(),
    /closed before the answer came/,
  ],
])(
  'tool server over HTTP: %s → the call fails then, not at its time limit, and says so',
  async (_, answer, words) => {
    const connection = await connectTo({ 'tools/call': answer });
    await expect(callEcho(connection)).rejects.toMatchObject({
      kind: 'connection_lost',
      message: expect.stringMatching(words),
    });
  },
);

test('tool server over HTTP: an event that is no JSON-RPC, then the answer → the answer', async () => {
  const connection = await connectTo({
    'tools/call': (id, res) => void events(res, 'ping', resultFor(id, 'done')),
  });
  expect(await callEcho(connection)).toMatchObject({ content: [{ type: 'text', text: 'done' }] });
});

test('tool server over HTTP: the list of tools in a stream that ends without it → fails then', async () => {
  const connection = await connectTo({ 'tools/list': (_, res) => events(res).end() });
  await expect(connection.listTools()).rejects.toThrow('closed before the answer came');
});

test.each([
  [{ 'retry-after': '3' }, 3_000, 'http_rate_limit'],
  [{ 'llm_provider-retry-after': '3' }, null, null],
  [{}, null, null],
])(
  'tool server over HTTP: 429 with %j → busy, with what it asks for itself: %s; not begun: %s',
  async (asked, wait, proof) => {
    const connection = await connectTo({
      'tools/call': (_, res) => void res.writeHead(429, asked).end('quota of secret-1 used up'),
    });
    const failure = {
      kind: 'busy',
      retryAfterMs: wait,
      proof,
      message: expect.stringMatching(/429: quota of .* used up/),
    };
    await expect(callEcho(connection)).rejects.toMatchObject(failure);
  },
);

// github.com/malloydata/malloyyo/pull/134: a client asked such a server each second, for 11 hours.
test('tool server over HTTP: a page where a stream of its own messages would be → asked for it once', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  open.push(() => vi.useRealTimers());
  const asked: string[] = [];
  const answers: Record<string, McpAnswer> = {
    GET: (_, res) => void res.writeHead(200, { 'content-type': 'text/plain' }).end('Post here.'),
    'tools/call': (id, res) => json(res, JSON.parse(resultFor(id, 'done'))),
  };
  const connection = await connectTo(answers, undefined, method => asked.push(method));
  await vi.waitUntil(() => asked.includes('GET'));
  for (const _ of [1, 2, 3]) {
    expect(await callEcho(connection)).toMatchObject({ content: [{ text: 'done' }] });
    await vi.advanceTimersByTimeAsync(60_000);
  }
  expect(asked.filter(method => method === 'GET')).toHaveLength(1);
});

// github.com/modelcontextprotocol/typescript-sdk/pull/1402: 410 for a session that is gone.
test.each([
  [400, true],
  [410, true],
  [422, false],
])(
  'tool server over HTTP: %i in a session → unknown, and the next caller gets another connection: %s',
  async (status, closed) => {
    const connection = await connectTo(
      { 'tools/call': (_, res) => void res.writeHead(status).end('no') },
      's1',
    );
    await expect(callEcho(connection)).rejects.toMatchObject({ kind: 'connection_lost', proof: null });
    expect(connection.closed).toBe(closed);
  },
);

test('tool server over HTTP: a call that needs an address opened first (-32042) → the address, with its words', async () => {
  const url = 'https://mcp.example.com/connect?elicitationId=e1';
  const message = 'Access to your files is required.';
  const elicitations = [{ mode: 'url', elicitationId: 'e1', url, message }, 7, { url: 8 }];
  const error = { code: -32_042, message: 'More is needed.', data: { elicitations } };
  const connection = await connectTo({ 'tools/call': (id, res) => json(res, { jsonrpc: '2.0', id, error }) });
  await expect(callEcho(connection)).rejects.toMatchObject({
    kind: 'rejected',
    code: -32_042,
    message: `MCP error -32042: More is needed. ${message} ${url}`,
  });
});

test.each<[string, unknown, string]>([
  [
    'a list of faults',
    { issues: [{ path: ['a'], message: 'must be a number' }] },
    ' {"issues":[{"path":["a"],"message":"must be a number"}]}',
  ],
  ['a text', 'a must be a number', ' a must be a number'],
  ['its key', 'with secret-1', ' with ***'],
  ['more than a page', 'x'.repeat(5_000), ` ${'x'.repeat(1_999)}…`],
  ['nothing', null, ''],
  ['nested without an end', JSON.parse('['.repeat(500) + ']'.repeat(500)), ''],
])('tool server: an error whose details are %s → quoted with it', async (_what, data, quoted) => {
  const error = { code: -32_602, message: 'Invalid params', data };
  const connection = await connectTo({ 'tools/call': (id, res) => json(res, { jsonrpc: '2.0', id, error }) });
  await expect(callEcho(connection)).rejects.toMatchObject({
    message: `MCP error -32602: Invalid params${quoted}`,
  });
});

test.each([
  ['connect', 'EHOSTUNREACH', 'not_begun'],
  ['connect', 'ENETUNREACH', 'not_begun'],
  ['read', 'EHOSTUNREACH', 'connection_lost'],
  ['write', 'ENETUNREACH', 'connection_lost'],
  ['read', 'ECONNRESET', 'connection_lost'],
])(
  'tool server over HTTP: a socket fails at %s with %s → %s, by whether the connection stood',
  async (syscall, code, kind) => {
    const connection = await connectTo({});
    const cause = Object.assign(new Error(`${syscall} ${code}`), { syscall, code });
    const fetch = vi.spyOn(outward, 'fetch').mockRejectedValue(new TypeError('fetch failed', { cause }));
    open.push(() => fetch.mockRestore());
    await expect(callEcho(connection)).rejects.toMatchObject({ kind });
  },
);

test('tool server: a list of tools that does not end → refused at 8 MB', async () => {
  let pages = 0;
  const connection = await connectTo({
    'tools/list': (id, res) => {
      pages += 1;
      const description = 'x'.repeat(1_000_000);
      const tools = [{ name: `t${pages}`, description, inputSchema: {} }];
      json(res, { jsonrpc: '2.0', id, result: { tools, nextCursor: `${pages}` } });
    },
  });
  await expect(connection.listTools()).rejects.toThrow('lists more than 8 MB of tools');
  expect(pages).toBeLessThan(10);
});
