import { SEARCH_ATTRIBUTES } from '../core/steering/search-attributes.js';
import { env } from '../shared/env.js';
import { SteersmanError } from '../shared/errors.js';
import { type BackgroundProcess, lastLines, startInBackground, waitForStart } from './background.js';
import { stackPaths } from './home.js';
import { readJson, removeFile, writeJson } from './json-file.js';
import { addMissingSearchAttributes, choosePort, hiddenPlace, isHealthy } from './probe.js';
import { isAlive, type ProcessId, processIdSchema, terminate } from './process-id.js';

/** A Temporal dev server that answers. */
export interface DevServer extends ProcessId {
  /** host:port of its gRPC service. */
  address: string;
  /** Where its Web UI listens, for `openDoor` alone: it takes requests of any web page. */
  innerUi: string;
}

/**
 * Its HTTP API takes requests that any web page can send, and has no switch: it is left to a host that nobody can name.
 * Only clients over gRPC, which pages can't speak, are served then.
 */
export const NO_HTTP_API = ['--dynamic-config-value', 'frontend.httpAllowedHosts=["nobody.invalid"]'];

/** Time for a server to write its database and close; it takes about 3 s. */
export const SERVER_GRACE_MS = 10_000;
const START_TIMEOUT_MS = 30_000;

/**
 * Starts the Temporal server of a home on its database, on the wanted port if it is free, else on another.
 * Resolves when it answers and has the search attributes. Ends a server that was left on the same database
 * first. Throws a SteersmanError with the end of its log.
 */
export async function startDevServer(home: string, binary: string, wanted?: number): Promise<DevServer> {
  await endDevServer(home);
  // A port can be taken between the look and the start: then another round.
  for (let attempt = 1; ; attempt += 1) {
    const port = await choosePort('grpc', wanted);
    const address = `127.0.0.1:${port}`;
    const ui = await hiddenPlace();
    const listen = ['--port', String(port), '--ui-ip', ui.address, '--ui-port', String(ui.port)];
    const server = await startInBackground(serverProcess(home, binary, listen));
    writeJson(stackPaths(home).serverProcess, server);
    const result = await waitForStart(server, START_TIMEOUT_MS, () => isHealthy(address));
    // Alive as well, since somebody else could answer at that port.
    if (result === 'ready' && isAlive(server)) {
      await addMissingSearchAttributes(address);
      return { ...server, address, innerUi: `http://${ui.address}:${ui.port}` };
    }
    await endDevServer(home);
    const log = lastLines(stackPaths(home).serverLog);
    if (attempt < 3 && log.includes('address already in use')) continue;
    throw startError(home, log, result === 'timeout');
  }
}

/** Ends the server of a home, whoever started it: SIGTERM, then SIGKILL. Resolves when its database is closed. */
export async function endDevServer(home: string): Promise<void> {
  const { serverProcess: path, stackFile } = stackPaths(home);
  const server = readJson(path, processIdSchema);
  removeFile(stackFile);
  if (server !== undefined) await terminate(server, SERVER_GRACE_MS);
  removeFile(path);
}

function serverProcess(home: string, binary: string, listen: string[]): BackgroundProcess {
  const paths = stackPaths(home);
  const attributes = SEARCH_ATTRIBUTES.flatMap(name => ['--search-attribute', `${name}=Keyword`]);
  return {
    program: binary,
    args: [
      'server',
      'start-dev',
      '--ip',
      '127.0.0.1',
      ...listen,
      ...NO_HTTP_API,
      '--db-filename',
      paths.database,
      '--log-level',
      'warn',
      ...attributes,
    ],
    env: plainEnvironment(),
    cwd: home,
    logFile: paths.serverLog,
  };
}

/** What the server and its keeper need of the environment: no keys of models or tools. */
export function plainEnvironment(): NodeJS.ProcessEnv {
  const names = [
    'PATH',
    'HOME',
    'TMPDIR',
    'TEMP',
    'LANG',
    'TZ',
    'SystemRoot',
    'USERPROFILE',
    'LOCALAPPDATA',
    'STEERSMAN_PORT',
    'STEERSMAN_UI_PORT',
  ];
  return Object.fromEntries(
    names.map(name => [name, env.lookup(name)]).filter(([, value]) => value !== undefined),
  );
}

function startError(home: string, log: string, timedOut: boolean): SteersmanError {
  const what = timedOut ? `did not answer within ${START_TIMEOUT_MS / 1000} s` : 'ended while starting';
  const paths = stackPaths(home);
  return new SteersmanError(
    `The local Temporal server ${what}. The end of ${paths.serverLog}:\n${log || '(empty)'}`,
    startRemedy(log, paths.database),
    'host',
  );
}

/** What to do about a server that does not start, told from its log: a database that is well must not be moved away. */
export function startRemedy(log: string, database: string): string {
  if (/disk is full|no space left/i.test(log))
    return 'The disk is full: make room, and try again. Nothing that ran is lost.';
  if (/database is locked/i.test(log))
    return `Another process has ${database} open: end it, and try again. Nothing that ran is lost.`;
  if (/readonly database|read-only file system/i.test(log))
    return `${database} can not be written: make it and its folder writable, and try again.`;
  return `If its database is damaged or of a newer server, move ${database} away and try again.`;
}
