import { randomInt } from 'node:crypto';
import { connect, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { SEARCH_ATTRIBUTES } from '../../rules/steering/search-attributes.js';
import { env } from '../process/env.js';
import { retryInterceptors } from '../temporal/temporal-client.js';
import { happens } from './seat.js';

const KEYWORD = 2;

/** Does a Temporal server with a default namespace answer at this address? */
export async function isHealthy(address: string, timeoutMs = 2_000): Promise<boolean> {
  const answer = await withConnection(address, timeoutMs, connection =>
    connection.workflowService.describeNamespace({ namespace: 'default' }),
  ).catch(() => undefined);
  return answer !== undefined;
}

/**
 * Registers the search attributes that the default namespace lacks. The dev server's own flag does so only
 * when it makes a new database.
 */
export async function addMissingSearchAttributes(address: string): Promise<void> {
  await withConnection(address, 10_000, async ({ operatorService }) => {
    const { customAttributes } = await operatorService.listSearchAttributes({ namespace: 'default' });
    const missing = SEARCH_ATTRIBUTES.filter(name => !(name in (customAttributes ?? {})));
    if (missing.length === 0) return;
    const searchAttributes = Object.fromEntries(missing.map(name => [name, KEYWORD]));
    await operatorService.addSearchAttributes({ namespace: 'default', searchAttributes });
  });
}

/** Looks every 50 ms until `condition` holds. False when it still does not after `timeoutMs`. */
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

/** A connection to a local server: never through a proxy that the environment names. Connects when first used. */
export function localConnection(address: string, connectTimeoutMs = 10_000): Connection {
  return Connection.lazy({
    ...{ address, tls: false, connectTimeout: connectTimeoutMs },
    channelArgs: { 'grpc.enable_http_proxy': 0 },
    interceptors: retryInterceptors,
  });
}

/** Runs `work` with a connection that is closed afterwards. Rejects when `timeoutMs` are over. */
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

/** Of the server and of its Web UI; STEERSMAN_PORT and STEERSMAN_UI_PORT choose others. */
const DEFAULT_PORTS = { grpc: 7233, webUi: 8233 };

/** A killed server can be gone by its process number while its last threads still hold its port. */
const FREE_WITHIN_MS = 3_000;

/** The default port or that of an earlier server if it is free, or gets free in time; else another. */
export async function choosePort(use: keyof typeof DEFAULT_PORTS, earlier?: number): Promise<number> {
  const wanted = earlier ?? env.ports()[use] ?? DEFAULT_PORTS[use];
  const isThere = await until(() => isFree(wanted), earlier === undefined ? 0 : FREE_WITHIN_MS);
  return isThere ? wanted : ((await tryPort(0)) ?? wanted);
}

/**
 * Where the Web UI itself listens, which takes every request: at one of the 16 million loopback addresses, and at a
 * port, that no web page can guess. Systems with a single loopback address, such as macOS, have the port alone.
 */
export async function hiddenPlace(): Promise<{ address: string; port: number }> {
  const address = `127.${randomInt(1, 255)}.${randomInt(256)}.${randomInt(1, 255)}`;
  const port = await tryPort(0, address);
  return port === null ? { address: '127.0.0.1', port: (await tryPort(0)) ?? 0 } : { address, port };
}

async function isFree(port: number): Promise<boolean> {
  // Some systems let a second server bind 127.0.0.1 where another listens on all addresses.
  const other = connect({ port, host: '127.0.0.1' });
  const isTaken = await happens(other, 'connect');
  other.destroy();
  return !isTaken && (await tryPort(port)) !== null;
}

/** That port, or with 0 any; null where it can't be had, or this machine does not have the address. */
async function tryPort(port: number, host = '127.0.0.1'): Promise<number | null> {
  const server = createServer().listen(port, host);
  if (!(await happens(server, 'listening'))) return null;
  const address = server.address();
  await new Promise(done => server.close(done));
  return typeof address === 'object' ? (address?.port ?? null) : null;
}
