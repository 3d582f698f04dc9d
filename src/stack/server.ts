import { REBUILD } from '../shared/called-as.js';
import { SteersmanError } from '../shared/errors.js';
import { builtScript } from '../shared/package.js';
import { lastLines, requireScript, startInBackground, waitForStart } from './background.js';
import { endDevServer, plainEnvironment, SERVER_GRACE_MS } from './dev-server.js';
import { makeHome, stackPaths } from './home.js';
import { readFailure, readJson, removeFile, writeJson } from './json-file.js';
import { keepLease } from './lease.js';
import { holderText, withLock } from './lock.js';
import { isHealthy } from './probe.js';
import { isAlive, type ProcessId, processIdSchema, terminate } from './process-id.js';
import type { KeeperOptions } from './records.js';
import { readServerRecord, type ServerRecord } from './records.js';
import type { Report } from './temporal-binary.js';
import { temporalBinary } from './temporal-fetch.js';

/** How long server and workers stay when nothing uses them. */
export const DEFAULT_IDLE_MS = 60_000;

/** The local Temporal server that this process uses until `release`. */
export interface LocalServer {
  home: string;
  /** host:port for clients and workers; the namespace is `default`. */
  address: string;
  webUi: string;
  /** Version of the Temporal CLI. */
  version: string;
  /** False when it ran already. */
  startedHere: boolean;
  /** Gives the server back: it may end itself when nobody else uses it. Not needed before the process ends. */
  release: () => void;
}

export interface EnsureServerOptions {
  /** Gets lines of progress: fetching, starting, waiting. */
  report: Report;
  /** Default DEFAULT_IDLE_MS. Counts only for a keeper started here. */
  idleMs?: number;
}

/**
 * The one Temporal server of this home: the running one, else a new one in the background on the same database.
 * Two terminals that call this at once get the same server. Throws a SteersmanError that says why it can't start.
 */
export async function ensureServer(home: string, options: EnsureServerOptions): Promise<LocalServer> {
  const paths = makeHome(home);
  const onWait = (pid: number | null) =>
    options.report(`Another terminal is starting or ending the local stack. Waiting for ${holderText(pid)}.`);
  return withLock(
    paths.serverLock,
    async () => {
      const release = keepLease(home);
      try {
        const running = await runningServer(home);
        const record = running ?? (await startKeeper(home, options));
        const { address, webUi, version } = record;
        return { home, address, webUi, version, startedHere: running === undefined, release };
      } catch (error) {
        release();
        throw error;
      }
    },
    { onWait },
  );
}

/** The server if it runs and answers. What is left of one that does not answer for 30 s is ended. */
async function runningServer(home: string): Promise<ServerRecord | undefined> {
  let record = readServerRecord(home);
  const keeper = keeperOf(home);
  if (keeper === undefined || !isAlive(keeper)) return undefined;
  // A keeper starts a server that died again, perhaps at another port.
  const result = await waitForStart(keeper, 30_000, async () => {
    record = readServerRecord(home);
    return record !== undefined && isAlive(record) && (await isHealthy(record.address));
  });
  if (result === 'ready') return record;
  await endServer(home);
  return undefined;
}

/** Whether a server of this home is there to be asked, without starting one. */
export function isServerUp(home: string): boolean {
  const record = readServerRecord(home);
  return record !== undefined && isAlive(record);
}

/** The keeper, also where the record is lost that it is about to write again. */
function keeperOf(home: string): ProcessId | undefined {
  return readServerRecord(home)?.keeper ?? readJson(stackPaths(home).keeperProcess, processIdSchema);
}

/** Ends keeper and server, whichever lives. */
export async function endServer(home: string): Promise<void> {
  const keeper = keeperOf(home);
  if (keeper !== undefined) await terminate(keeper, SERVER_GRACE_MS + 2_000);
  await endDevServer(home);
}

async function startKeeper(home: string, options: EnsureServerOptions): Promise<ServerRecord> {
  const paths = stackPaths(home);
  const binary = await temporalBinary(home, options.report);
  options.report('Starting the local Temporal server …');
  const { idleMs = DEFAULT_IDLE_MS } = options;
  const keeperOptions: KeeperOptions = { home, binary: binary.path, version: binary.version, idleMs };
  removeFile(paths.keeperFailure);
  const keeper = await startInBackground({
    program: process.execPath,
    args: [requireScript(builtScript('stack/keeper.js')), JSON.stringify(keeperOptions)],
    env: plainEnvironment(),
    cwd: home,
    logFile: paths.keeperLog,
  });
  writeJson(paths.keeperProcess, keeper);
  let record: ServerRecord | undefined;
  const result = await waitForStart(keeper, 100_000, () => {
    record = readServerRecord(home);
    return record?.keeper.pid === keeper.pid;
  });
  if (result === 'ready' && record !== undefined) return record;
  await terminate(keeper, SERVER_GRACE_MS);
  throw keeperError(home, result === 'timeout');
}

function keeperError(home: string, timedOut: boolean): SteersmanError {
  const paths = stackPaths(home);
  const failure = readFailure(paths.keeperFailure);
  if (failure !== null) return failure;
  const what = timedOut ? 'is not ready after 100 s' : 'ended while starting';
  return new SteersmanError(
    `The keeper of the local Temporal server ${what}. The end of ${paths.keeperLog}:\n${lastLines(paths.keeperLog)}`,
    `Is the build missing or old? ${REBUILD}`,
    'host',
  );
}
