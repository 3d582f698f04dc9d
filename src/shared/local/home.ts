import { accessSync, constants, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { errorText } from '../../base/text/error-text.js';
import { env } from '../process/env.js';
import { SteersmanError } from '../process/errors.js';
import { isCheckout, projectRoot } from '../process/package.js';

/** Returns a folder of this user by the XDG conventions: that in `variable`, otherwise `fallback` in the home directory. */
function userFolder(variable: 'XDG_STATE_HOME' | 'XDG_CACHE_HOME', fallback: string): string {
  const named = env.lookup(variable);
  // The XDG conventions say that a relative path must be ignored.
  const base = named !== undefined && isAbsolute(named) ? named : join(homedir(), fallback);
  return join(base, 'steersman');
}

function stateFolder(): string {
  return userFolder('XDG_STATE_HOME', '.local/state');
}

/**
 * Returns the folder of the local stack: `STEERSMAN_HOME`, otherwise `.steersman` in a checkout, otherwise `steersman`
 * in this user's state folder (`XDG_STATE_HOME`, `~/.local/state`). Two folders are two independent stacks.
 */
export function resolveHome(named: string | undefined = env.home()): string {
  if (named !== undefined) return resolve(named);
  return isCheckout ? join(projectRoot, '.steersman') : stateFolder();
}

/**
 * The folders that this user trusts, for all stacks. It is found before a folder's variables are set, so they can't
 * move it.
 */
export function trustFile(): string {
  return join(stateFolder(), 'trusted.json');
}

/** The folder with the tools that this user has allowed permanently. */
export function permissionsFolder(): string {
  return join(stateFolder(), 'permissions');
}

/** Returns the files of a stack. All paths are absolute. */
export function stackPaths(home: string) {
  return {
    /** The latest owner's record: see `readRecord`. */
    stackFile: join(home, 'stack.json'),
    /** The server's SQLite database with all runs ever made in this home. */
    database: join(home, 'temporal.db'),
    serverLog: join(home, 'server.log'),
    ownerLog: join(home, 'owner.log'),
    /** The configuration folder that each queue's runs were started with. */
    queues: join(home, 'queues.json'),
  };
}

/**
 * Creates the stack's folder, for this user only. Throws a SteersmanError if that fails or the folder can't be written
 * to, because on a full disk no log could report it.
 */
export function makeHome(home: string): void {
  const probe = join(home, `.probe-${process.pid}`);
  try {
    makeFolder(home);
    try {
      writeFileSync(probe, '?'.repeat(4096));
    } finally {
      rmSync(probe, { force: true });
    }
  } catch (error) {
    throw new SteersmanError(
      `The folder of the local stack can't be written: ${home} (${errorText(error)}).`,
      'Make room there, or set STEERSMAN_HOME to a folder that you can write to. Nothing that ran is lost.',
    );
  }
}

/** Creates one level at a time, because Node's `recursive` option never returns below a folder such as /proc. */
export function makeFolder(dir: string): void {
  if (existsSync(dir)) return;
  makeFolder(dirname(dir));
  try {
    mkdirSync(dir, { mode: 0o700 });
  } catch (error) {
    // If the folder is there now, another process made it meanwhile.
    if (!existsSync(dir)) throw error;
  }
}

/**
 * Returns the folder for a downloaded Temporal binary. In a checkout it is in the checkout, where runs and tests share
 * it for any STEERSMAN_HOME and `npm ci` leaves it alone; otherwise it is in this user's cache. If that is read-only,
 * it is in the home.
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

/** True if the environment names no Temporal server: none of Temporal's own variables is set. */
export function usesLocalStack(): boolean {
  const variables = ['TEMPORAL_ADDRESS', 'TEMPORAL_PROFILE', 'TEMPORAL_CONFIG_FILE'];
  return variables.every(name => env.lookup(name) === undefined);
}
