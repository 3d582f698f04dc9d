/** Processes of a benchmark: what they used, and how they end. */
import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** What a process has used so far. */
export interface ProcessUse {
  /** User and system time, seconds. */
  cpuSeconds: number;
  /** Resident memory now and at its highest, MB (10^6 bytes). */
  residentMb: number;
  peakMb: number;
}

/** Kernel ticks a second: 100 on every Linux that Node runs on. */
const TICKS = 100;

/** Reads /proc: Linux only. Throws where the process is gone. */
export function processUse(pid: number): ProcessUse {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const mb = (key: string) => (Number(new RegExp(`${key}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) * 1024) / 1e6;
  return {
    cpuSeconds: (Number(fields[11]) + Number(fields[12])) / TICKS,
    residentMb: mb('VmRSS'),
    peakMb: mb('VmHWM'),
  };
}

/** Asks a process to end, waits until it has, and kills it after `graceMs`. */
export async function endProcess(child: ChildProcess, graceMs = 40_000): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise<void>(resolve => child.once('exit', () => resolve()));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
  await ended;
  clearTimeout(timer);
}

/** Resolves when the process has printed a line that `wanted` matches on stderr; rejects when it ends first. */
export function saidBy(child: ChildProcess, wanted: RegExp): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = '';
    child.stderr?.on('data', (part: Buffer) => {
      said = (said + part.toString()).slice(-20_000);
      if (wanted.test(said)) resolve();
    });
    child.once('exit', code => reject(new Error(`a process ended with code ${code}:\n${said}`)));
  });
}

const warned = new WeakMap<ChildProcess, number>();

/** Counts what Node warns of on the process's stderr, such as a MaxListenersExceededWarning; returns the process. */
export function listened(child: ChildProcess): ChildProcess {
  let rest = '';
  child.stderr?.on('data', (part: Buffer) => {
    const lines = (rest + part.toString()).split('\n');
    rest = lines.pop() ?? '';
    const warnings = lines.filter(line => /Warning\b/.test(line)).length;
    warned.set(child, warningsOf(child) + warnings);
  });
  return child;
}

/** Lines with a warning that a process which is listened to has written so far. */
export function warningsOf(child: ChildProcess): number {
  return warned.get(child) ?? 0;
}
