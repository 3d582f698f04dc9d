import { createServer, type Server } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { choosePorts } from '../../../src/stack/probe.js';

const open = new Set<Server>();
afterEach(() => {
  for (const server of open) server.close();
  open.clear();
});

describe('choosePorts', () => {
  test('the ports of an earlier server are waited for: a killed one holds them a moment longer', async () => {
    const { server, port } = await listening();
    const chosen = choosePorts({ grpc: port, webUi: port });
    setTimeout(() => server.close(), 200);
    expect(await chosen).toEqual({ grpc: port, webUi: port });
  });

  test('free ports → those', async () => {
    const { server, port } = await listening();
    await new Promise(resolve => server.close(resolve));
    expect(await choosePorts({ grpc: port, webUi: port })).toEqual({ grpc: port, webUi: port });
  });

  test('ports that somebody keeps → two others that are free and differ', async () => {
    const { port } = await listening();
    const chosen = await choosePorts({ grpc: port, webUi: port });
    expect(new Set([port, chosen.grpc, chosen.webUi]).size).toBe(3);
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
