import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';

/** A process that can't be mistaken for a later one with the same number: its pid and when it started. */
export const processIdSchema = z.object({ pid: z.number().int().positive(), started: z.string() });
export type ProcessId = z.infer<typeof processIdSchema>;

/** The process with this number, or undefined when there is none or it has ended and is a zombie. */
export function identify(pid: number): ProcessId | undefined {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it lives and belongs to somebody else.
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return undefined;
  }
  const started = process.platform === 'linux' ? startedOnLinux(pid) : startedByPs(pid);
  return started === undefined ? undefined : { pid, started };
}

/** Is this very process still there? */
export function isAlive(id: ProcessId): boolean {
  return identify(id.pid)?.started === id.started;
}

/** Stopped, by a debugger or SIGSTOP: it is there and does nothing. False where the system does not tell. */
export function isStopped(pid: number): boolean {
  try {
    return /^[tT]/.test(statFields(pid)[0] ?? '');
  } catch {
    return false;
  }
}

/** This process. */
export function thisProcess(): ProcessId {
  return identify(process.pid) ?? { pid: process.pid, started: '' };
}

/**
 * Ends a process: SIGTERM, and SIGKILL when it is still there after `graceMs`. Does nothing to another
 * process that has its number now. Resolves when it is gone.
 */
export async function terminate(id: ProcessId, graceMs: number): Promise<void> {
  signal(id, 'SIGTERM');
  if (await waitFor(() => !isAlive(id), graceMs)) return;
  signal(id, 'SIGKILL');
  await waitFor(() => !isAlive(id), 5_000);
}

/** Looks every 50 ms until `condition` holds. False when it still does not after `timeoutMs`. */
export async function waitFor(condition: () => boolean, timeoutMs: number): Promise<boolean> {
  const end = Date.now() + timeoutMs;
  while (!condition()) {
    if (Date.now() >= end) return false;
    await delay(50);
  }
  return true;
}

function signal(id: ProcessId, name: NodeJS.Signals): void {
  if (!isAlive(id)) return;
  try {
    process.kill(id.pid, name);
  } catch {
    // It ended just now.
  }
}

function startedOnLinux(pid: number): string | undefined {
  try {
    const fields = statFields(pid);
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : `${bootId()}-${fields[19]}`;
  } catch {
    return undefined;
  }
}

/** The name in brackets may hold spaces; after it come the state and, 19 fields on, the start time. */
function statFields(pid: number): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function bootId(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').slice(0, 8);
}

function startedByPs(pid: number): string | undefined {
  if (process.platform === 'win32') return '';
  try {
    const line = execFileSync('ps', ['-o', 'state=,lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    return line === '' || line.startsWith('Z') ? undefined : line.replace(/^\S+\s+/, '');
  } catch {
    return undefined;
  }
}
