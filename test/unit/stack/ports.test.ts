import { createServer, type Server } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { choosePort } from '../../../src/shared/local/probe.js';

const open = new Set<Server>();
afterEach(() => {
  for (const server of open) server.close();
  open.clear();
});

describe('choosePort', () => {
  test('the port of an earlier server is waited for: a killed one holds it a moment longer', async () => {
    const { server, port } = await listening();
    const chosen = choosePort('grpc', port);
    // The first look finds it.
    server.once('connection', () => server.close());
    expect(await chosen).toBe(port);
  });

  test('a free port → that', async () => {
    const { server, port } = await listening();
    await new Promise(resolve => server.close(resolve));
    expect(await choosePort('webUi', port)).toBe(port);
  });

  test('a port that somebody keeps → another that is free', async () => {
    const { port } = await listening();
    expect(await choosePort('grpc', port)).not.toBe(port);
  });
});

async function listening(): Promise<{ server: Server; port: number }> {
  const server = createServer();
  open.add(server);
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { server, port: address.port };
}
