import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { errorText } from '../core/text/error-text.js';
import { env } from '../shared/env.js';
import { SteersmanError } from '../shared/errors.js';
import { isCheckout, projectRoot } from '../shared/package.js';

/** A folder of this user by the conventions of XDG: `variable`, else `fallback` below the user's own folder. */
function userFolder(variable: 'XDG_STATE_HOME' | 'XDG_CACHE_HOME', fallback: string): string {
  const named = env.lookup(variable);
  // A relative path is to be ignored, says the convention.
  const base = named !== undefined && isAbsolute(named) ? named : join(homedir(), fallback);
  return join(base, 'steersman');
}

/**
 * The folder of the local stack: `STEERSMAN_HOME`, else in a checkout its `.steersman`, else `steersman` in this user's
 * folder for state (`XDG_STATE_HOME`, `~/.local/state`). Two folders are two independent stacks.
 */
export function resolveHome(named: string | undefined = env.home()): string {
  if (named !== undefined) return resolve(named);
  return isCheckout ? join(projectRoot, '.steersman') : userFolder('XDG_STATE_HOME', '.local/state');
}

/** What this user said of folders, whatever stack they use: no folder's own variables move it before they are read. */
export function trustFile(): string {
  return join(userFolder('XDG_STATE_HOME', '.local/state'), 'trusted.json');
}

/** Tools that this user has allowed for good. */
export function permissionsFile(): string {
  return join(userFolder('XDG_STATE_HOME', '.local/state'), 'permissions.json');
}

/** Where a stack keeps what it knows. All paths are absolute. */
export interface StackPaths {
  home: string;
  /** Address, Web UI and process ids of the server. */
  stackFile: string;
  /** The server's process from the moment it is started: what must be gone before another may open the database. */
  serverProcess: string;
  /** SQLite database of the server: all runs ever made with this home. */
  database: string;
  /** The keeper's process: while it lives no other is started, whatever became of `stackFile`. */
  keeperProcess: string;
  serverLog: string;
  keeperLog: string;
  keeperFailure: string;
  serverLock: string;
  workersLock: string;
  /** One file for each client at work. */
  leases: string;
  /** One file for each background worker. */
  workers: string;
  /** Whose configuration each queue's runs were started with. */
  queues: string;
}

export function stackPaths(home: string): StackPaths {
  return {
    home,
    stackFile: join(home, 'stack.json'),
    serverProcess: join(home, 'server-process.json'),
    database: join(home, 'temporal.db'),
    keeperProcess: join(home, 'keeper-process.json'),
    serverLog: join(home, 'server.log'),
    keeperLog: join(home, 'keeper.log'),
    keeperFailure: join(home, 'keeper-failure.json'),
    serverLock: join(home, 'server.lock'),
    workersLock: join(home, 'workers.lock'),
    leases: join(home, 'leases'),
    workers: join(home, 'workers'),
    queues: join(home, 'queues.json'),
  };
}

/** Makes the stack's folders; they are for this user only. Throws a SteersmanError where that is not possible. */
export function makeHome(home: string): StackPaths {
  const paths = stackPaths(home);
  try {
    for (const dir of [home, paths.leases, paths.workers]) makeFolder(dir);
    accessSync(home, constants.W_OK);
  } catch (error) {
    const why = errorText(error);
    throw new SteersmanError(
      `The folder of the local stack can't be written: ${home} (${why}).`,
      'Set STEERSMAN_HOME to a folder that you can write to.',
    );
  }
  return paths;
}

/** Step by step: Node's own way with `recursive` never ends below a folder such as /proc. */
export function makeFolder(dir: string): void {
  if (existsSync(dir)) return;
  makeFolder(dirname(dir));
  try {
    mkdirSync(dir, { mode: 0o700 });
  } catch (error) {
    // Another terminal was faster.
    if (!existsSync(dir)) throw error;
  }
}

/**
 * Where a fetched Temporal binary is kept: in the checkout, so that running and testing share it whatever
 * STEERSMAN_HOME says and `npm ci` leaves it alone, else in this user's cache; in the home where that is read-only.
 */
export function binaryCacheDir(home: string): string {
  const shared = isCheckout
    ? join(projectRoot, '.steersman', 'bin')
    : join(userFolder('XDG_CACHE_HOME', '.cache'), 'bin');
  try {
    makeFolder(shared);
    accessSync(shared, constants.W_OK);
    return shared;
  } catch {
    return join(home, 'bin');
  }
}
