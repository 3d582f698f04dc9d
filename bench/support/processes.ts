/** Measures what a benchmark's processes use, and ends them. */
import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** The use of a process so far. */
export interface ProcessUse {
  /** User and system time, seconds. */
  cpuSeconds: number;
  /** Resident memory now and at its highest, MB (10^6 bytes). */
  residentMb: number;
  peakMb: number;
}

/** Kernel ticks per second: 100 on every Linux that Node runs on. */
const TICKS = 100;

/** Reads /proc, which only Linux has. Throws if the process has ended. */
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

/** Resolves when the process has printed a line on stderr that `wanted` matches; rejects if it ends first. */
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

/** Counts Node's warnings on the process's stderr, such as MaxListenersExceededWarning; returns the process. */
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

/** Returns the number of warnings so far of a process that `listened` was called for. */
export function warningsOf(child: ChildProcess): number {
  return warned.get(child) ?? 0;
}
