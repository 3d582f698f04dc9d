/** What goes out: by which way, and how long it may take. */
import { createServer, type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createProvider } from '../../../src/models/protocols.js';
import { outward } from '../../../src/shared/http/outward-fetch.js';
import { serveHttp } from '../../support/serve.js';

const NAMES = ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY', 'no_proxy', 'NO_PROXY'];
const open: (() => void)[] = [];
beforeEach(() => {
  for (const name of NAMES) vi.stubEnv(name, undefined);
});
afterEach(() => {
  vi.unstubAllEnvs();
  for (const close of open.splice(0)) close();
});

/** A real proxy on this machine, which notes what it is asked for. */
async function startProxy() {
  const asked: string[] = [];
  const proxy = createServer((req, res) => {
    asked.push(`${req.method} ${req.url}`);
    const to = request(
      req.url ?? '',
      { method: req.method, headers: req.headers },
      (answer: IncomingMessage) => {
        res.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(res);
      },
    );
    req.pipe(to);
  });
  proxy.on('connect', (req, socket, head) => {
    asked.push(`CONNECT ${req.url}`);
    const [host = '', port] = (req.url ?? '').split(':');
    const to = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      to.write(head);
      to.pipe(socket).pipe(to);
    });
    to.on('error', () => socket.destroy());
    socket.on('error', () => to.destroy());
  });
  await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve));
  open.push(() => proxy.close());
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, asked };
}

async function startTarget() {
  const server = await serveHttp((_req, res) => {
    res.writeHead(200, { 'content-type': 'application/json' }).end('{"data":[{"id":"m"}]}');
  });
  open.push(() => server.close());
  return server.url;
}

describe('the proxy of the environment', () => {
  it('HTTP_PROXY → requests of models and tools go through it, and NO_PROXY names hosts that do not (FE10)', async () => {
    const [proxy, target] = [await startProxy(), await startTarget()];
    const list = () =>
      createProvider({ name: 'home', baseUrl: `${target}/v1` }).listModels(new AbortController().signal);
    expect(await list()).toEqual(['m']);
    expect(proxy.asked).toEqual([]);
    vi.stubEnv('HTTP_PROXY', proxy.url);
    expect(await list()).toEqual(['m']);
    expect(proxy.asked).toEqual([`GET ${target}/v1/models`]);
    vi.stubEnv('NO_PROXY', 'example.com,127.0.0.1');
    expect(await list()).toEqual(['m']);
    expect(proxy.asked).toHaveLength(1);
  });

  it('HTTPS_PROXY, without a scheme → a tunnel for https, and none for http (FE10)', async () => {
    const [proxy, target] = [await startProxy(), await startTarget()];
    vi.stubEnv('HTTPS_PROXY', proxy.url.replace('http://', ''));
    await (await outward.fetch(target)).text();
    expect(proxy.asked).toEqual([]);
    await expect(outward.fetch(target.replace('http://', 'https://'))).rejects.toThrow();
    expect(proxy.asked).toEqual([`CONNECT ${target.replace('http://', '')}`]);
  });
});

it('limits of time → none of its own, with a proxy or without (FE8)', async () => {
  const made: object[] = [];
  vi.resetModules();
  vi.doMock('undici', async original => {
    const undici = await original<typeof import('undici')>();
    const noting = (kind: string) => (options: object) => {
      made.push({ kind, ...options });
      return { dispatch: () => false };
    };
    return {
      ...undici,
      fetch: async () => new Response(),
      Agent: noted(noting('direct')),
      EnvHttpProxyAgent: noted(noting('proxy')),
    };
  });
  try {
    const fresh = await import('../../../src/shared/http/outward-fetch.js');
    await fresh.outward.fetch('http://localhost/');
    vi.stubEnv('HTTPS_PROXY', 'http://proxy.example');
    await fresh.outward.fetch('http://localhost/');
    await fresh.outward.fetch('http://localhost/');
    expect(made).toMatchObject([
      { kind: 'direct', headersTimeout: 0, bodyTimeout: 0 },
      { kind: 'proxy', headersTimeout: 0, bodyTimeout: 0, httpsProxy: 'http://proxy.example' },
    ]);
  } finally {
    vi.doUnmock('undici');
    vi.resetModules();
  }
});

function noted(note: (options: object) => object) {
  return class {
    constructor(options: object) {
      Object.assign(this, note(options));
    }
  };
}
