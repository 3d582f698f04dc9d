/** HTTP servers of tests. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach } from 'vitest';

export interface Served {
  url: string;
  close(): void;
}

export async function serveHttp(handle: RequestListener): Promise<Served> {
  const server = createServer(handle);
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

const open: (() => void)[] = [];
afterEach(() => {
  for (const close of open.splice(0)) close();
});

/** Ends with its test. Its base URL, as that of an OpenAI-compatible endpoint. */
export async function serve(handle: RequestListener): Promise<string> {
  const { url, close } = await serveHttp(handle);
  open.push(close);
  return `${url}/v1`;
}
