import { request } from 'node:http';
import { connect } from 'node:net';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { afterEach, describe, expect, test } from 'vitest';
import { type HttpOptions, type HttpServed, serveHttp } from '../../../packages/mcp-server/http.js';
import { refusal } from '../../../src/shared/http/http-guard.js';
import { endItem, fakeRuns, warning } from '../../support/fake-runs.js';
import { until } from '../../support/wait.js';
import { clientOf } from './connected.js';

const open: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

async function served(runs = fakeRuns(), options: Partial<HttpOptions> = {}): Promise<HttpServed> {
  const context = { client: clientOf(runs), workspaces: ['/work'] };
  const server = await serveHttp(context, { host: '127.0.0.1', port: 0, token: null, ...options });
  open.push(server);
  return server;
}

async function connectTo({ url }: HttpServed, headers: Record<string, string> = {}): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }) as Transport,
  );
  open.push(client);
  return client;
}

/** Status of a first request with these headers: `fetch` does not let Host be set. */
function statusOf({ url }: HttpServed, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { method: 'POST', headers }, response => {
      response.resume();
      resolve(response.statusCode);
    });
    asked.on('error', reject).end('{}');
  });
}

describe('the server over HTTP', () => {
  test('http: a client → tools, progress and a result; a second client has a session of its own', async () => {
    const runs = fakeRuns();
    runs.happens(warning(1), endItem());
    const server = await served(runs);
    const [first, second] = [await connectTo(server), await connectTo(server)];
    const progress: unknown[] = [];
    const watched = first.callTool({ name: 'watch_run', arguments: { id: 'run-1' } }, undefined, {
      onprogress: told => progress.push(told),
    });
    expect((await second.listTools()).tools).toHaveLength(7);
    expect(await watched).toMatchObject({ structuredContent: { cursor: 1 } });
    expect(progress).toHaveLength(1);
  });

  test('http: a request is cancelled → the wait ends, the run is left alone', async () => {
    const runs = fakeRuns();
    const client = await connectTo(await served(runs));
    const cancel = new AbortController();
    const watching = client.callTool({ name: 'watch_run', arguments: { id: 'run-1' } }, undefined, {
      signal: cancel.signal,
    });
    watching.catch(() => {});
    await until('the run is watched', () => runs.watchers() === 1);
    cancel.abort();
    await until('nobody watches', () => runs.watchers() === 0);
    expect(runs.asked).toEqual([]);
  });

  test('http: a name that a web page made point here, or a web page elsewhere (TR13) → refused before anything is read', async () => {
    const server = await served();
    const here = new URL(server.url).host;
    expect(await statusOf(server, { host: 'evil.example' })).toBe(403);
    expect(await statusOf(server, { host: here, origin: 'https://evil.example' })).toBe(403);
    // Let in, and no first request of the protocol.
    expect(await statusOf(server, { host: here })).toBe(406);
  });

  test('http: a session that there is not → 404, as clients expect who then begin anew', async () => {
    const server = await served();
    expect(await statusOf(server, { 'mcp-session-id': 'gone' })).toBe(404);
  });

  test('http: with a token → clients that show it are served, others are not', async () => {
    const server = await served(fakeRuns(), { token: 'secret' });
    const client = await connectTo(server, { authorization: 'Bearer secret' });
    expect((await client.listTools()).tools).toHaveLength(7);
    await expect(connectTo(server)).rejects.toThrow(/token/);
  });

  test('http: an address of other machines without a token → does not listen, and says what to set', async () => {
    await expect(served(fakeRuns(), { host: '0.0.0.0' })).rejects.toMatchObject({
      message: expect.stringContaining('0.0.0.0'),
    });
  });

  test('http: a port that is taken → says so', async () => {
    const { url } = await served();
    await expect(served(fakeRuns(), { port: Number(new URL(url).port) })).rejects.toThrow(/cannot listen/);
  });
});

/** What browsers, scanners and bad networks send that is no request of a client: statuses, where there is an answer. */
async function oddRequests({ url }: HttpServed): Promise<(number | undefined)[]> {
  const { port, host } = new URL(url);
  const raw = [
    'GET // HTTP/1.1\r\nHost: HOST',
    'GET http:// HTTP/1.1\r\nHost: HOST',
    'POST http://[ HTTP/1.1\r\nHost: HOST',
    'GET /mcp HTTP/1.1\r\nHost: [',
    'GET /mcp HTTP/1.1\r\nHost: HOST\r\nOrigin: http://[',
    `GET /mcp HTTP/1.1\r\nHost: HOST\r\nX: ${'x'.repeat(100_000)}`,
    'POST /mcp HTTP/1.1\r\nHost: HOST\r\nContent-Length: 99\r\nContent-Type: application/json',
  ];
  return Promise.all(
    raw.map(
      text =>
        new Promise<number | undefined>(resolve => {
          let said = '';
          const socket = connect(Number(port), '127.0.0.1', () =>
            socket.end(`${text.replace('HOST', host)}\r\nConnection: close\r\n\r\n`),
          );
          socket.setEncoding('utf8').on('data', part => {
            said += part;
          });
          socket.on('error', () => {}).on('close', () => resolve(Number(said.split(' ')[1]) || undefined));
        }),
    ),
  );
}

describe('what is no request of a client', () => {
  test('http: paths, hosts and bodies that can not be read → refused one by one, the server goes on (TR13)', async () => {
    const server = await served();
    const statuses = await oddRequests(server);
    expect(statuses.slice(0, 6)).toEqual([404, 400, 400, 400, 403, 431]);
    const client = await connectTo(server);
    expect((await client.listTools()).tools).toHaveLength(7);
  });
});

describe('more clients than there is room for', () => {
  const hello = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'hello', version: '1' } },
  };
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };

  async function hellos({ url }: HttpServed, count: number): Promise<number[]> {
    const statuses: number[] = [];
    for (let each = 0; each < count; each += 1) {
      const { status, body } = await fetch(url, { method: 'POST', headers, body: JSON.stringify(hello) });
      await body?.cancel();
      statuses.push(status);
    }
    return statuses;
  }

  test('http: a client watches a run, and others say hello and no more → it hears the end; room is made of the idle', async () => {
    const runs = fakeRuns();
    const server = await served(runs, { idleMs: 0 });
    const client = await connectTo(server);
    const watched = client.callTool({ name: 'watch_run', arguments: { id: 'run-1' } });
    await until('the run is watched', () => runs.watchers() === 1);
    expect(new Set(await hellos(server, 70))).toEqual(new Set([200]));
    runs.happens(warning(1), endItem());
    expect(await watched).toMatchObject({ structuredContent: { cursor: 1 } });
  });

  test('http: all have asked something not long ago → a newcomer is refused, and nobody gives way', async () => {
    const server = await served();
    const client = await connectTo(server);
    expect((await hellos(server, 70)).filter(status => status === 503)).toHaveLength(70 - 63);
    expect((await client.listTools()).tools).toHaveLength(7);
  });
});

describe('who may ask', () => {
  const local = { loopback: true, token: null };
  const far = { loopback: false, token: 'secret' };
  const bearer = { authorization: 'Bearer secret' };

  test.each([
    ['localhost', local, { host: 'localhost:7417' }, null],
    ['an IPv6 loopback address', local, { host: '[::1]:7417' }, null],
    ['another loopback address', local, { host: '127.0.0.2:7417' }, null],
    ['its own page', local, { host: '127.0.0.1:7417', origin: 'http://127.0.0.1:7417' }, null],
    ['its own page, at the port of HTTP', local, { host: 'localhost:80', origin: 'http://localhost' }, null],
    ['a page of another local port', local, { host: '127.0.0.1:7417', origin: 'http://127.0.0.1:6274' }, 403],
    ['a page of another local name', local, { host: '127.0.0.1:7417', origin: 'http://localhost:7417' }, 403],
    ['a page over TLS', local, { host: 'localhost:7417', origin: 'https://localhost:7417' }, 403],
    ['an image of a page of this machine', local, { host: 'localhost', 'sec-fetch-site': 'same-site' }, 403],
    ['an image of its own page', local, { host: 'localhost', 'sec-fetch-site': 'same-origin' }, null],
    ['an address that a person typed', local, { host: 'localhost', 'sec-fetch-site': 'none' }, null],
    ['no Host', local, {}, 403],
    ['another name', local, { host: 'evil.example:7417' }, 403],
    ['a name that begins like it', local, { host: '127.0.0.1.evil.example' }, 403],
    ['an image of a page elsewhere', local, { host: 'localhost', 'sec-fetch-site': 'cross-site' }, 403],
    [
      'a link on a page elsewhere',
      local,
      { host: 'localhost', 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' },
      null,
    ],
    ['a page elsewhere', local, { host: 'localhost', origin: 'https://evil.example' }, 403],
    ['a page without an origin', local, { host: 'localhost', origin: 'null' }, 403],
    ['a token that is not asked for', local, { host: 'localhost', ...bearer }, null],
    ['the token', far, { host: 'build.example:7417', ...bearer }, null],
    ['no token', far, { host: 'build.example:7417' }, 401],
    ['a wrong token', far, { host: 'build.example:7417', authorization: 'Bearer secrets' }, 401],
    ['a page of its own', far, { host: 'b.example', origin: 'https://b.example', ...bearer }, null],
    ['its own page at a port', far, { host: 'b.example:81', origin: 'http://b.example:81', ...bearer }, null],
    ['a page of another port', far, { host: 'b.example', origin: 'http://b.example:81', ...bearer }, 403],
    [
      'a page elsewhere, with the token',
      far,
      { host: 'b.example', origin: 'https://e.example', ...bearer },
      403,
    ],
  ])('guard: %s → as told', (_, guard, headers, status) => {
    expect(refusal(headers, guard)?.status ?? null).toBe(status);
  });
});
