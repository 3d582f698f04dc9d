import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { endChild, hasEnded, spawnWithUs } from '../../packages/stack/dev-server.js';
import { temporalBinary } from '../../packages/stack/download/temporal-fetch.js';
import { SEARCH_ATTRIBUTES } from '../../src/rules/steering/search-attributes.js';
import { resolveHome } from '../../src/shared/local/home.js';
import { isHealthy } from '../../src/shared/local/probe.js';
import { freePort } from './processes.js';
import { SUGGESTS_PARTS } from './recording.js';
import { until } from './wait.js';

/**
 * Nothing waits for the server's convenience: left alone it has each part of a run last a second, and every timer
 * fire up to a second late.
 */
const AT_ONCE = ['history.workflowIdReuseMinimalInterval="0s"', 'history.timerProcessorMaxTimeShift="50ms"'];

/** What servers of tests are started with, in this file and in `startTemporal`. */
export const SERVER_ARGS = [
  ...SEARCH_ATTRIBUTES.flatMap(name => ['--search-attribute', `${name}=Keyword`]),
  ...AT_ONCE.flatMap(setting => ['--dynamic-config-value', setting]),
  ...SUGGESTS_PARTS,
];

/** Where test processes ask for the address of theirs. */
export const TEMPORAL_SERVERS = 'STEERSMAN_TEST_TEMPORAL_SERVERS';

interface Server {
  address: string;
  end(): Promise<void>;
}

/**
 * Before the tests that need a server, once: finds Temporal, or fetches it. Each test process that asks gets one
 * server, which all its files share. The servers end with vitest, however that ends.
 */
export default async function setup(): Promise<() => Promise<void>> {
  const { path } = await temporalBinary(resolveHome(), line => console.error(line));
  const servers = new Map<string, Promise<Server>>();
  const door = createServer(async (request, response) => {
    const asking = request.url ?? '';
    const starting = servers.get(asking) ?? startServer(path);
    servers.set(asking, starting);
    const answer = await starting.then(({ address }) => ({ status: 200, address }), String);
    if (typeof answer === 'string') response.writeHead(500).end(answer);
    else response.end(answer.address);
  });
  await once(door.listen(0, '127.0.0.1'), 'listening');
  process.env[TEMPORAL_SERVERS] = `http://127.0.0.1:${(door.address() as AddressInfo).port}`;
  return async () => {
    door.close();
    door.closeAllConnections();
    await Promise.all([...servers.values()].map(async server => (await server).end()));
  };
}

/** In memory, and killed at its end: nobody reads it any more. */
async function startServer(binary: string): Promise<Server> {
  const port = await freePort();
  const address = `127.0.0.1:${port}`;
  const listen = ['--headless', '--ip', '127.0.0.1', '--port', String(port), '--log-level', 'never'];
  const child = spawnWithUs(binary, ['server', 'start-dev', ...listen, ...SERVER_ARGS], {
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  await until('a Temporal server answers', async () => hasEnded(child) || (await isHealthy(address)));
  if (hasEnded(child))
    throw new Error(`the Temporal server of the tests ended at its start, on port ${port}`);
  return { address, end: () => endChild(child, 0) };
}
