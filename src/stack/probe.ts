import { connect, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { SEARCH_ATTRIBUTES } from '../core/search-attributes.js';
import { env } from '../shared/env.js';

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

/** Is this address, `host:port`, one of this machine's own? */
export function isLoopback(address: string): boolean {
  return /^(localhost|127\.|\[::1\])/.test(address);
}

/** A connection to a local server: never through a proxy that the environment names. Connects when first used. */
export function localConnection(address: string, connectTimeoutMs = 10_000): Connection {
  const channelArgs = { 'grpc.enable_http_proxy': 0 };
  return Connection.lazy({ address, tls: false, connectTimeout: connectTimeoutMs, channelArgs });
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

/** Ports of a server and its Web UI. */
export interface Ports {
  grpc: number;
  webUi: number;
}

/** STEERSMAN_PORT and STEERSMAN_UI_PORT choose others. */
const DEFAULT_PORTS: Ports = { grpc: 7233, webUi: 8233 };

/**
 * A killed server can be gone by its process number while its last threads still hold its ports. Workers know
 * the ports of the server that is replaced, so these are worth a wait.
 */
const PORTS_FREE_WITHIN_MS = 3_000;

/** The default ports or those of an earlier server if both are free, or get free in time; else two others. */
export async function choosePorts(earlier?: Ports): Promise<Ports> {
  const wanted = earlier ?? { ...DEFAULT_PORTS, ...env.ports() };
  const until = Date.now() + (earlier === undefined ? 0 : PORTS_FREE_WITHIN_MS);
  do {
    if ((await isFree(wanted.grpc)) && (await isFree(wanted.webUi))) return wanted;
    await delay(50);
  } while (Date.now() < until);
  // Both stay open until both are known, so that they differ.
  const first = await listen(0);
  const second = await listen(0);
  const ports = { grpc: first.port, webUi: second.port };
  await Promise.all([first.close(), second.close()]);
  return ports;
}

async function isFree(port: number): Promise<boolean> {
  // Some systems let a second server bind 127.0.0.1 where another listens on all addresses.
  if (await answers(port)) return false;
  try {
    await (await listen(port)).close();
    return true;
  } catch {
    return false;
  }
}

function answers(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect({ port, host: '127.0.0.1', timeout: 1_000 });
    const end = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => end(true)).once('error', () => end(false));
    socket.once('timeout', () => end(false));
  });
}

function listen(port: number): Promise<{ port: number; close: () => Promise<void> }> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      if (address === null || typeof address === 'string') return reject(new Error('no port'));
      resolve({ port: address.port, close: () => new Promise(done => server.close(() => done())) });
    });
  });
}
