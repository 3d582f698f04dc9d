import { closeSync, mkdirSync, openSync, readFileSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { scriptCall } from '../shared/called-as.js';
import { SteersmanError } from '../shared/errors.js';
import { readJson, removeFile } from './json-file.js';
import { isAlive, processIdSchema, thisProcess } from './process-id.js';

export interface LockOptions {
  /** Called once when somebody else holds the lock, with its process number where that is known. */
  onWait?: (pid: number | null) => void;
  /** Default 10 minutes: a slow download of the Temporal binary. */
  timeoutMs?: number;
}

/**
 * Runs `work` while no other process on this machine holds the lock file `path`. The lock of a process that
 * died is taken over. Throws a SteersmanError after `timeoutMs`.
 */
export async function withLock<T>(
  path: string,
  work: () => Promise<T>,
  options: LockOptions = {},
): Promise<T> {
  const end = Date.now() + (options.timeoutMs ?? 600_000);
  mkdirSync(dirname(path), { recursive: true });
  let waited = false;
  while (!tryLock(path)) {
    if (!waited) options.onWait?.(readJson(path, processIdSchema)?.pid ?? null);
    waited = true;
    if (Date.now() >= end) throw lockTimeout(path);
    breakIfStale(path);
    await delay(50);
  }
  try {
    return await work();
  } finally {
    removeFile(path);
  }
}

/** Who holds a lock, for a line that says what is waited for and how to end that. */
export function holderText(pid: number | null): string {
  return pid === null ? 'it' : `process ${pid} (if it hangs, end it: kill -9 ${pid})`;
}

function tryLock(path: string): boolean {
  let file: number;
  try {
    file = openSync(path, 'wx');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
  try {
    writeFileSync(file, JSON.stringify(thisProcess()));
    return true;
  } catch (error) {
    // On a full disk it stays empty: later tries would wait for a holder that nobody is.
    removeFile(path);
    throw error;
  } finally {
    closeSync(file);
  }
}

/** Only the maker of the guard folder may remove a stale lock, else two could each remove the other's new one. */
function breakIfStale(path: string): void {
  if (!isStale(path)) return;
  const guard = `${path}.break`;
  try {
    mkdirSync(guard);
  } catch {
    if (ageMs(guard) > 5_000) rmdirSync(guard);
    return;
  }
  try {
    if (isStale(path)) removeFile(path);
  } finally {
    rmdirSync(guard);
  }
}

function isStale(path: string): boolean {
  const holder = readJson(path, processIdSchema);
  if (holder !== undefined) return !isAlive(holder);
  // Unreadable: being written at this moment, or its writer died in between.
  return ageMs(path) > 5_000;
}

function ageMs(path: string): number {
  try {
    return Date.now() - statSync(path).mtimeMs;
  } catch {
    return 0;
  }
}

function lockTimeout(path: string): SteersmanError {
  let holder = 'unknown';
  try {
    holder = readFileSync(path, 'utf8');
  } catch {
    // Released a moment ago; the message stays true for the time waited.
  }
  return new SteersmanError(
    `Another process holds ${path} for too long (${holder}).`,
    `End that process, or run "${scriptCall('dev', '--stop')}", and try again.`,
  );
}
