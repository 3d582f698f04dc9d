import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, closeSync, existsSync, openSync, readFileSync, rmSync } from 'node:fs';
import { SEARCH_ATTRIBUTES } from 'steersman/rules';
import {
  addMissingSearchAttributes,
  choosePort,
  env,
  hiddenPlace,
  isHealthy,
  REBUILD,
  SteersmanError,
  stackPaths,
  until,
} from 'steersman/shared';

/** A Temporal dev server that has answered. */
export interface DevServer {
  pid: number;
  /** host:port of its gRPC service. */
  address: string;
  /** URL of its Web UI. Only the door connects to it, because the UI accepts requests of any web page. */
  innerUi: string;
  /** Resolves when the server process has ended, for any reason. */
  ended: Promise<unknown>;
  /** Sends SIGTERM, then SIGKILL. Resolves when its database is closed. */
  end(): Promise<void>;
}

/**
 * The HTTP API takes requests that any web page can send, and can't be switched off. The only allowed host name
 * therefore does not exist: clients need gRPC, which pages can't speak.
 */
export const NO_HTTP_API = ['--dynamic-config-value', 'frontend.httpAllowedHosts=["nobody.invalid"]'];

/** Time for a server to write its database and close; it takes about 3 s. */
const SERVER_GRACE_MS = 10_000;
const START_TIMEOUT_MS = 30_000;

/**
 * Starts the Temporal server of a home on its database, on the wanted port if that is free, else on another one.
 * Resolves when it answers and has the search attributes. It ends with this process, even after SIGKILL.
 * @throws SteersmanError that quotes the end of its log.
 */
export async function startDevServer(home: string, binary: string, wanted?: number): Promise<DevServer> {
  // Another process can take the port between the check and the start: try again.
  for (let attempt = 1; ; attempt += 1) {
    const port = await choosePort('grpc', wanted);
    const address = `127.0.0.1:${port}`;
    const ui = await hiddenPlace();
    const listen = ['--port', String(port), '--ui-ip', ui.address, '--ui-port', String(ui.port)];
    const child = spawnServer(home, binary, listen);
    const ended = once(child, 'exit').catch(() => {});
    const end = () => endChild(child, SERVER_GRACE_MS);
    const isUp = await until(() => hasEnded(child) || isHealthy(address), START_TIMEOUT_MS);
    // The child must be alive too, because another process could answer at that port.
    if (isUp && !hasEnded(child)) {
      await addMissingSearchAttributes(address);
      return { pid: child.pid ?? 0, address, innerUi: `http://${ui.address}:${ui.port}`, ended, end };
    }
    await end();
    const log = lastLines(stackPaths(home).serverLog);
    if (attempt < 3 && log.includes('address already in use')) continue;
    const what = isUp ? 'ended while starting' : `did not answer within ${START_TIMEOUT_MS / 1000} s`;
    const { serverLog, database } = stackPaths(home);
    throw startError(`The local Temporal server ${what}`, serverLog, startRemedy(log, database));
  }
}

/**
 * The shell becomes the server, whose files are for this user only. A background watcher kills the server when the other end of the pipe closes, which also
 * covers a SIGKILL of this process.
 */
const WITH_US =
  'umask 077; exec 3<&0; (cat <&3; kill -9 $$) >/dev/null 2>&1 & exec 3<&-; exec "$0" "$@" </dev/null';

function spawnServer(home: string, binary: string, listen: string[]): ChildProcess {
  const paths = stackPaths(home);
  const attributes = SEARCH_ATTRIBUTES.flatMap(name => ['--search-attribute', `${name}=Keyword`]);
  const fixed = ['server', 'start-dev', '--ip', '127.0.0.1', '--log-level', 'warn', ...NO_HTTP_API];
  const args = [...fixed, ...listen, '--db-filename', paths.database, ...attributes];
  rmSync(paths.serverLog, { force: true });
  closeToOthers(paths.database);
  return withLog(paths.serverLog, log =>
    spawnWithUs(binary, args, { cwd: home, env: plainEnvironment(), stdio: ['pipe', log, log] }),
  );
}

/** A database of an earlier version may be readable by other users. */
function closeToOthers(database: string): void {
  for (const path of [database, `${database}-wal`, `${database}-shm`])
    if (existsSync(path)) chmodSync(path, 0o600);
}

/** Starts a server that ends with this process, even after SIGKILL. Its stdin must be a pipe. */
export function spawnWithUs(binary: string, args: string[], options: SpawnOptions): ChildProcess {
  const child = spawn('/bin/sh', ['-c', WITH_US, binary, ...args], options);
  // The watcher can end before the pipe is closed.
  child.stdin?.on('error', () => {});
  child.once('exit', () => child.stdin?.destroy());
  return child;
}

/** Calls `work` with a log file, opened for appending and readable by this user only. */
export function withLog<T>(path: string, work: (log: number) => T): T {
  const log = openSync(path, 'a', 0o600);
  try {
    return work(log);
  } finally {
    closeSync(log);
  }
}

export function hasEnded({ exitCode, signalCode, pid }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null || pid === undefined;
}

/** Sends SIGTERM, then SIGKILL after `graceMs`. Resolves when the child has exited. */
export async function endChild(child: ChildProcess, graceMs: number): Promise<void> {
  if (hasEnded(child)) return;
  const gone = once(child, 'exit');
  const hard = setTimeout(() => child.kill('SIGKILL'), graceMs);
  child.kill('SIGTERM');
  await gone;
  clearTimeout(hard);
}

const NEEDED =
  'PATH HOME TMPDIR TEMP LANG TZ SystemRoot USERPROFILE LOCALAPPDATA STEERSMAN_PORT STEERSMAN_UI_PORT';

/** The environment variables that the server and its owner need: no keys of models or tools. */
export function plainEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(NEEDED.split(' ').map(name => [name, env.lookup(name)]));
}

/** Returns an error that says what did not start and quotes the end of its log. */
export function startError(
  what: string,
  logFile: string,
  remedy = `Is the build missing or old? ${REBUILD}`,
): SteersmanError {
  const end = lastLines(logFile) || '(empty)';
  return new SteersmanError(`${what}. The end of ${logFile}:\n${end}`, remedy, 'host');
}

/** Returns what to do about a server that does not start, judged from its log: a healthy database must not be moved away. */
export function startRemedy(log: string, database: string): string {
  if (/disk is full|no space left/i.test(log))
    return 'The disk is full: make room, and try again. Nothing that ran is lost.';
  if (/database is locked/i.test(log))
    return `Another process has ${database} open: end it, and try again. Nothing that ran is lost.`;
  if (/readonly database|read-only file system/i.test(log))
    return `${database} cannot be written: make it and its folder writable, and try again.`;
  return `If its database is damaged or of a newer server, move ${database} away and try again.`;
}

/** Returns the last lines of a log file, for a message; empty if the file can't be read. */
function lastLines(path: string, count = 8): string {
  try {
    return readFileSync(path, 'utf8').trimEnd().split('\n').slice(-count).join('\n');
  } catch {
    return '';
  }
}
