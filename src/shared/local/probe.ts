import { randomInt } from 'node:crypto';
import { connect, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { SEARCH_ATTRIBUTES } from '../../rules/steering/search-attributes.js';
import { env } from '../process/env.js';
import { retryInterceptors } from '../temporal/temporal-client.js';
import { happens } from './owner-socket.js';

const KEYWORD = 2;

/** True if a Temporal server with a default namespace answers at this address. */
export async function isHealthy(address: string, timeoutMs = 2_000): Promise<boolean> {
  const answer = await withConnection(address, timeoutMs, connection =>
    connection.workflowService.describeNamespace({ namespace: 'default' }),
  ).catch(() => undefined);
  return answer !== undefined;
}

/** Registers the search attributes that the default namespace lacks. The dev server's flag only does so in a new database. */
export async function addMissingSearchAttributes(address: string): Promise<void> {
  await withConnection(address, 10_000, async ({ operatorService }) => {
    const { customAttributes } = await operatorService.listSearchAttributes({ namespace: 'default' });
    const missing = SEARCH_ATTRIBUTES.filter(name => !(name in (customAttributes ?? {})));
    if (missing.length === 0) return;
    const searchAttributes = Object.fromEntries(missing.map(name => [name, KEYWORD]));
    await operatorService.addSearchAttributes({ namespace: 'default', searchAttributes });
  });
}

/** Checks every 50 ms until `condition` holds. Returns false if it still does not hold after `timeoutMs`. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  timeoutMs: number,
): Promise<boolean> {
  const end = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() >= end) return false;
    await delay(50);
  }
  return true;
}

/** Returns a connection to a local server. It never uses a proxy of the environment, and connects on first use. */
export function localConnection(address: string, connectTimeoutMs = 10_000): Connection {
  return Connection.lazy({
    ...{ address, tls: false, connectTimeout: connectTimeoutMs },
    channelArgs: { 'grpc.enable_http_proxy': 0 },
    interceptors: retryInterceptors,
  });
}

/** Runs `work` with a connection and closes it afterwards. Rejects when `timeoutMs` are over. */
export async function withConnection<T>(
  address: string,
  timeoutMs: number,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = localConnection(address, timeoutMs);
  try {
    return await connection.withDeadline(Date.now() + timeoutMs, async () => {
      await connection.ensureConnected();
      return work(connection);
    });
  } finally {
    await connection.close();
  }
}

/** Default ports of the server and of its Web UI; STEERSMAN_PORT and STEERSMAN_UI_PORT override them. */
const DEFAULT_PORTS = { grpc: 7233, webUi: 8233 };

/** The last threads of a killed server may hold its port although its process is already gone. */
const FREE_WITHIN_MS = 3_000;

/** Returns the default port, or an earlier server's, if it is free or becomes free in time; otherwise another port. */
export async function choosePort(use: keyof typeof DEFAULT_PORTS, earlier?: number): Promise<number> {
  const wanted = earlier ?? env.ports()[use] ?? DEFAULT_PORTS[use];
  const isThere = await until(() => isFree(wanted), earlier === undefined ? 0 : FREE_WITHIN_MS);
  return isThere ? wanted : ((await tryPort(0)) ?? wanted);
}

/**
 * Returns a place for the Web UI itself, which accepts every request: a random one of the 16 million loopback
 * addresses, with a random port, so that no web page can guess it. Systems with a single loopback address, such as
 * macOS, only have the random port.
 */
export async function hiddenPlace(): Promise<{ address: string; port: number }> {
  const address = `127.${randomInt(1, 255)}.${randomInt(256)}.${randomInt(1, 255)}`;
  const port = await tryPort(0, address);
  return port === null ? { address: '127.0.0.1', port: (await tryPort(0)) ?? 0 } : { address, port };
}

async function isFree(port: number): Promise<boolean> {
  // Some systems let a second server bind 127.0.0.1 while another listens on all addresses.
  const other = connect({ port, host: '127.0.0.1' });
  const isTaken = await happens(other, 'connect');
  other.destroy();
  return !isTaken && (await tryPort(port)) !== null;
}

/** Returns the port, or with 0 any free one; null if it is taken, or if this machine does not have the address. */
async function tryPort(port: number, host = '127.0.0.1'): Promise<number | null> {
  const server = createServer().listen(port, host);
  if (!(await happens(server, 'listening'))) return null;
  const address = server.address();
  await new Promise(done => server.close(done));
  return typeof address === 'object' ? (address?.port ?? null) : null;
}
