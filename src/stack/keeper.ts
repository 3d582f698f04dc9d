import { setTimeout as delay } from 'node:timers/promises';
import { inspect } from 'node:util';
import { errorLine } from '../print/output.js';
import { temporalClient } from '../shared/temporal-client.js';
import { type DevServer, endDevServer, startDevServer } from './dev-server.js';
import { stackPaths } from './home.js';
import { removeFile, writeFailure, writeJson } from './json-file.js';
import { liveLeases } from './lease.js';
import { withLock } from './lock.js';
import { isServed, openRuns } from './open-runs.js';
import { isHealthy, localConnection, type Ports } from './probe.js';
import { isAlive, thisProcess } from './process-id.js';
import {
  type KeeperOptions,
  keeperOptionsSchema,
  liveWorkers,
  readServerRecord,
  type ServerRecord,
} from './records.js';
import { endWorker } from './workers.js';

/** A server that dies this often within `RESTART_WINDOW_MS` is given up. */
const MAX_RESTARTS = 5;
const RESTART_WINDOW_MS = 60_000;

/**
 * The process that keeps the local Temporal server of a home: starts it (or takes over one whose keeper died),
 * starts it again on the same ports when it dies, and ends it when no client holds a lease, no worker lives and
 * no open run is served, all for `idleMs`. SIGTERM ends server and keeper at once.
 */
async function keep(options: KeeperOptions): Promise<void> {
  const { home, binary, idleMs } = options;
  let stopping = false;
  const stop = () => {
    stopping = true;
    void endDevServer(home).then(() => process.exit(0));
  };
  process.once('SIGTERM', stop).once('SIGINT', stop);

  let server = (await adopt(home)) ?? (await startDevServer(home, binary, portsInUse(home)));
  writeRecord(options, server);
  endStrandedWorkers(home, server);
  const deaths: number[] = [];
  let lastUsed = Date.now();
  while (!stopping) {
    await delay(Math.min(1_000, idleMs / 4));
    if (stopping) break;
    if (!isAlive(server)) {
      noteDeath(deaths);
      server = await startDevServer(home, binary, server.ports);
      writeRecord(options, server);
      endStrandedWorkers(home, server);
    }
    // Lost with a full disk or by hand: without it the next command would start a second keeper.
    if (readServerRecord(home) === undefined) writeRecord(options, server);
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
  return { ...record, ports: portsOf(record) };
}

/** Ports of the last server while workers live that poll it; else undefined, for the default ones. */
function portsInUse(home: string): Ports | undefined {
  const record = readServerRecord(home);
  return record === undefined || liveWorkers(home).length === 0 ? undefined : portsOf(record);
}

function portsOf(record: ServerRecord): Ports {
  return { grpc: Number(record.address.split(':').at(-1)), webUi: Number(new URL(record.webUi).port) };
}

function writeRecord(options: KeeperOptions, server: DevServer): void {
  const { pid, started, address, webUi } = server;
  const { version, home } = options;
  const startedAt = new Date().toISOString();
  const record: ServerRecord = { address, webUi, version, startedAt, pid, started, keeper: thisProcess() };
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
