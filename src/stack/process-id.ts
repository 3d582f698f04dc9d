import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';

/** A process that can't be mistaken for a later one with the same number: its pid and when it started. */
export const processIdSchema = z.object({ pid: z.number().int().positive(), started: z.string() });
export type ProcessId = z.infer<typeof processIdSchema>;

/**
 * The process with this number; undefined when there is none or it has ended and is a zombie. `hidden`: there is one,
 * and who asks may not see whose (`hidepid`).
 */
export function lookAt(pid: number): ProcessId | 'hidden' | undefined {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it lives and belongs to somebody else.
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return undefined;
  }
  const started = process.platform === 'linux' ? startedOnLinux(pid) : startedByPs(pid);
  if (started === 'ended') return undefined;
  return started === undefined ? 'hidden' : { pid, started };
}

/** The process with this number, or undefined where there is none that can be told from others. */
export function identify(pid: number): ProcessId | undefined {
  const found = lookAt(pid);
  return found === 'hidden' ? undefined : found;
}

/** Is this very process still there? So it is taken to be where nobody can see. */
export function isAlive({ pid, started }: ProcessId): boolean {
  const found = lookAt(pid);
  return found === 'hidden' || found?.started === started;
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

/** Undefined where it is not shown. */
function startedOnLinux(pid: number): string | undefined {
  try {
    const fields = statFields(pid);
    return fields[0] === 'Z' || fields[0] === 'X' ? 'ended' : `${bootId()?.slice(0, 8)}-${fields[19]}`;
  } catch {
    return undefined;
  }
}

/** The name in brackets may hold spaces; after it come the state and, 19 fields on, the start time. */
function statFields(pid: number): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** Of this start of this machine, which no other shares. Null where the system has none. */
export function bootId(): string | null {
  try {
    if (process.platform === 'linux') return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    if (process.platform === 'darwin')
      return execFileSync('sysctl', ['-n', 'kern.bootsessionuuid'], { encoding: 'utf8' }).trim() || null;
  } catch {
    // A sandbox that shows no such thing.
  }
  return null;
}

function startedByPs(pid: number): string | undefined {
  if (process.platform === 'win32') return '';
  try {
    const line = execFileSync('ps', ['-o', 'state=,lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    return line === '' || line.startsWith('Z') ? 'ended' : line.replace(/^\S+\s+/, '');
  } catch {
    // There is none with this number any more.
    return 'ended';
  }
}
