import { setTimeout as delay } from 'node:timers/promises';
import { inspect } from 'node:util';
import { errorLine } from '../shared/output.js';
import { temporalClient } from '../shared/temporal-client.js';
import { type DevServer, endDevServer, startDevServer } from './dev-server.js';
import { type Door, openDoor } from './door.js';
import { stackPaths } from './home.js';
import { removeFile, writeFailure, writeJson } from './json-file.js';
import { liveLeases } from './lease.js';
import { withLock } from './lock.js';
import { isServed, openRuns } from './open-runs.js';
import { choosePort, isHealthy, localConnection } from './probe.js';
import { isAlive, thisProcess } from './process-id.js';
import { type KeeperOptions, keeperOptionsSchema, liveWorkers, readServerRecord } from './records.js';
import { endWorker } from './workers.js';

/** A server that dies this often within `RESTART_WINDOW_MS` is given up. */
const MAX_RESTARTS = 5;
const RESTART_WINDOW_MS = 60_000;

/**
 * The process that keeps the local Temporal server of a home: starts it (or takes over one whose keeper died),
 * starts it again on the same port when it dies, and ends it when no client holds a lease, no worker lives and
 * no open run is served, all for `idleMs`. It is the door of its Web UI. SIGTERM ends server and keeper at once.
 */
async function keep(options: KeeperOptions): Promise<void> {
  const { home, binary, idleMs } = options;
  let stopping = false;
  const stop = () => {
    stopping = true;
    void endDevServer(home).then(() => process.exit(0));
  };
  process.once('SIGTERM', stop).once('SIGINT', stop);

  const earlier = portsInUse(home);
  const adopted = await adopt(home);
  const door = await openDoor(await choosePort('webUi', earlier?.webUi));
  let server = adopted ?? (await startDevServer(home, binary, earlier?.grpc));
  writeRecord(options, server, door);
  endStrandedWorkers(home, server);
  const deaths: number[] = [];
  let lastUsed = Date.now();
  while (!stopping) {
    await delay(Math.min(1_000, idleMs / 4));
    if (stopping) break;
    if (!isAlive(server)) {
      noteDeath(deaths);
      server = await startDevServer(home, binary, portOf(server.address));
      writeRecord(options, server, door);
      endStrandedWorkers(home, server);
    }
    // Lost with a full disk or by hand: without it the next command would start a second keeper.
    if (readServerRecord(home) === undefined) writeRecord(options, server, door);
    if (isUsed(home)) lastUsed = Date.now();
    if (Date.now() - lastUsed < idleMs) continue;
    if (await hasServedRuns(home, server)) lastUsed = Date.now();
    else if (await endIfUnused(home)) process.exit(0);
  }
}

/**
 * Workers that poll another address would wait there for ever where the server's old ports were taken meanwhile.
 * Their runs are then open without a worker, and can be gone on with.
 */
function endStrandedWorkers(home: string, { address }: DevServer): void {
  for (const worker of liveWorkers(home)) if (worker.address !== address) void endWorker(home, worker);
}

/** Throws when the server dies again and again. */
function noteDeath(deaths: number[]): void {
  deaths.push(Date.now());
  const recent = deaths.filter(at => at > Date.now() - RESTART_WINDOW_MS);
  if (recent.length <= MAX_RESTARTS) return;
  throw new Error(`The Temporal server died ${recent.length} times within a minute: see server.log.`);
}

/** The server that a dead keeper left running, if it is well. */
async function adopt(home: string): Promise<DevServer | undefined> {
  const record = readServerRecord(home);
  if (record === undefined || !isAlive(record) || !(await isHealthy(record.address, 5_000))) return undefined;
  return record;
}

/** Ports of the last server while it lives, or workers that poll it; else undefined, for the default ones. */
function portsInUse(home: string): { grpc: number; webUi: number } | undefined {
  const record = readServerRecord(home);
  if (record === undefined || !(isAlive(record) || liveWorkers(home).length > 0)) return undefined;
  return { grpc: portOf(record.address), webUi: Number(new URL(record.webUi).port) };
}

function portOf(address: string): number {
  return Number(address.split(':').at(-1));
}

/** From now on the server is found, and its Web UI by the door. */
function writeRecord(options: KeeperOptions, server: DevServer, door: Door): void {
  const { pid, started, address, innerUi } = server;
  door.leadTo(innerUi);
  const { version, home } = options;
  const startedAt = new Date().toISOString();
  const keeper = thisProcess();
  const record = { address, webUi: door.url, innerUi, version, startedAt, pid, started, keeper };
  writeJson(stackPaths(home).stackFile, record);
}

function isUsed(home: string): boolean {
  return liveLeases(home).length > 0 || liveWorkers(home).length > 0;
}

/** Runs that a worker from elsewhere works on, such as one of `npm run worker`. */
async function hasServedRuns(home: string, server: DevServer): Promise<boolean> {
  const connection = localConnection(server.address);
  try {
    const client = temporalClient({ connection });
    for (const run of await openRuns(client)) if (await isServed(client, home, run.taskQueue)) return true;
    return false;
  } catch {
    return false;
  } finally {
    await connection.close();
  }
}

/** Under the lock that every new client takes first, so that none finds a server that is about to end. */
function endIfUnused(home: string): Promise<boolean> {
  return withLock(stackPaths(home).serverLock, async () => {
    if (isUsed(home)) return false;
    await endDevServer(home);
    return true;
  });
}

// This file is a script: others import only its types.
const options = keeperOptionsSchema.parse(JSON.parse(process.argv[2] ?? '{}'));
keep(options).catch((error: unknown) => {
  errorLine(inspect(error));
  removeFile(stackPaths(options.home).stackFile);
  writeFailure(stackPaths(options.home).keeperFailure, error);
  process.exit(1);
});
