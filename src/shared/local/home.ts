import { accessSync, constants, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { errorText } from '../../base/text/error-text.js';
import { env } from '../process/env.js';
import { SteersmanError } from '../process/errors.js';
import { isCheckout, projectRoot } from '../process/package.js';

/** A folder of this user by the conventions of XDG: `variable`, else `fallback` below the user's own folder. */
function userFolder(variable: 'XDG_STATE_HOME' | 'XDG_CACHE_HOME', fallback: string): string {
  const named = env.lookup(variable);
  // A relative path is to be ignored, says the convention.
  const base = named !== undefined && isAbsolute(named) ? named : join(homedir(), fallback);
  return join(base, 'steersman');
}

function stateFolder(): string {
  return userFolder('XDG_STATE_HOME', '.local/state');
}

/**
 * The folder of the local stack: `STEERSMAN_HOME`, else in a checkout its `.steersman`, else `steersman` in this user's
 * folder for state (`XDG_STATE_HOME`, `~/.local/state`). Two folders are two independent stacks.
 */
export function resolveHome(named: string | undefined = env.home()): string {
  if (named !== undefined) return resolve(named);
  return isCheckout ? join(projectRoot, '.steersman') : stateFolder();
}

/** What this user said of folders, whatever stack they use: no folder's own variables move it before they are read. */
export function trustFile(): string {
  return join(stateFolder(), 'trusted.json');
}

/** Tools that this user has allowed for good. */
export function permissionsFolder(): string {
  return join(stateFolder(), 'permissions');
}

/** Where a stack keeps what it knows. All paths are absolute. */
export function stackPaths(home: string) {
  return {
    /** What the latest owner noted: see `readRecord`. */
    stackFile: join(home, 'stack.json'),
    /** SQLite database of the server: all runs ever made with this home. */
    database: join(home, 'temporal.db'),
    serverLog: join(home, 'server.log'),
    ownerLog: join(home, 'owner.log'),
    /** Whose configuration each queue's runs were started with. */
    queues: join(home, 'queues.json'),
  };
}

/**
 * Makes the stack's folder, for this user only. Throws a SteersmanError where that is not possible, or nothing can be
 * written there: on a full disk no log could say so.
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

/** True when nothing in the environment names a Temporal server: none of Temporal's own variables is set. */
export function usesLocalStack(): boolean {
  const variables = ['TEMPORAL_ADDRESS', 'TEMPORAL_PROFILE', 'TEMPORAL_CONFIG_FILE'];
  return variables.every(name => env.lookup(name) === undefined);
}
