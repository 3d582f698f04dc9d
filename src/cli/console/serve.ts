/** The console over HTTP, on this machine's own address unless told otherwise. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { connect, SteersmanError } from '../../client/index.js';
import { errorText } from '../../core/text/error-text.js';
import { caught, pathOf } from '../../shared/http-guard.js';
import { resolveHome } from '../../stack/home.js';
import { createConsole } from './console.js';
import { Links } from './links.js';

export interface ConsoleServed {
  /** With a word that opens it once. */
  link(): string;
  closed: Promise<unknown>;
  close(): Promise<void>;
}

export interface ServeOptions {
  port: number;
  report: (line: string) => void;
  workspace?: string;
}

const HOST = '127.0.0.1';

/** Throws a SteersmanError where it can't listen. */
export async function serveConsole({ port, report, workspace }: ServeOptions): Promise<ConsoleServed> {
  const links = new Links(resolveHome());
  links.sweep();
  let connected: ReturnType<typeof connect> | null = null;
  const client = () => {
    connected ??= connect({ report }).catch((error: unknown) => {
      connected = null;
      throw error;
    });
    return connected;
  };
  const http = createServer();
  http.listen(port, HOST);
  await once(http, 'listening').catch(error => {
    throw new SteersmanError(
      `The console can not listen on ${HOST}:${port}: ${errorText(error)}`,
      'Give another port: --port 0 takes any.',
    );
  });
  const { port: own } = http.address() as AddressInfo;
  const hosts = [`${HOST}:${own}`, `localhost:${own}`];
  const console = createConsole({ client, links, hosts, ...(workspace !== undefined && { workspace }) });
  http.on(
    'request',
    caught(
      async (req, res) => send(res, await console.fetch(requestOf(req))),
      (res, error) => void res.writeHead(400).end(errorText(error)),
    ),
  );
  return {
    link: () => `http://${HOST}:${own}/#${links.create()}`,
    closed: once(http, 'close'),
    async close() {
      console.close();
      http.close();
      http.closeAllConnections();
      await (await connected?.catch(() => null))?.close();
    },
  };
}

function requestOf(req: IncomingMessage): Request {
  const headers = new Headers();
  for (let at = 0; at + 1 < req.rawHeaders.length; at += 2)
    headers.append(req.rawHeaders[at] ?? '', req.rawHeaders[at + 1] ?? '');
  const { method = 'GET' } = req;
  const url = `http://${req.headers.host ?? HOST}${req.url?.startsWith('/') ? req.url : pathOf(req)}`;
  const hasBody = method !== 'GET' && method !== 'HEAD';
  return new Request(url, {
    method,
    headers,
    ...(hasBody && { body: Readable.toWeb(req) as ReadableStream, duplex: 'half' }),
  } as RequestInit);
}

async function send(res: ServerResponse, response: Response): Promise<void> {
  res.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body === null) return void res.end();
  const reader = response.body.getReader();
  res.once('close', () => void reader.cancel().catch(() => undefined));
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    if (!res.write(value)) await once(res, 'drain').catch(() => undefined);
    if (res.destroyed) return;
  }
  res.end();
}
