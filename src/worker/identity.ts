/** The identity of a worker at Temporal, by which a later worker of this machine can detect that it has died. */
import { execFileSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/**
 * `<space><life>.<process id>@<host>`, short because six events of each turn record it. `space` is a hash of the
 * process table that contains the worker, `life` of the process's start.
 */
const FORM = /^(?<space>[\w-]{5})(?<life>[\w-]{4})\.(?<pid>\d+)@(?<host>.+)$/;

/** Facts of the system about the process table of this process. */
export interface SpaceFacts {
  /** Id of this boot of the machine. Null if it is unknown: then no other process can be checked. */
  boot: string | null;
  /** The PID namespace; '' on systems without namespaces. */
  namespace: string;
  /** False if `/proc` shows the processes of another namespace. */
  seesItself: boolean;
  /** Contents of `/proc/self/mountinfo`. */
  mounts: string;
}

/**
 * Returns a name of the process table that is unique across machines: a process that ran in it and is missing has
 * ended. Null if it is unknown. Containers of a machine differ by namespace; a restarted one gets a new namespace, but
 * keeps its own writable layer, which is never shared.
 */
export function spaceOf({ boot, namespace, seesItself, mounts }: SpaceFacts): string | null {
  return boot === null || !seesItself ? null : `${boot} ${writableLayer(mounts) ?? namespace}`;
}

/** Returns null if a second `/proc` shows a nested namespace: several of them may share the container's layer. */
function writableLayer(mounts: string): string | null {
  const lines = mounts.split('\n').map(line => line.split(' '));
  const at = (place: string) => lines.filter(fields => fields[4] === place);
  if (at('/proc').length !== 1) return null;
  return /(?:^|,)upperdir=([^,]+)/.exec(at('/').at(-1)?.at(-1) ?? '')?.[1] ?? null;
}

/** Facts that a worker knows about its own machine. */
export interface Here {
  host: string;
  /** Hash of the process table. */
  space: string;
  look(pid: number): ProcessId | 'hidden' | undefined;
}

const HERE: Here = {
  host: hostname(),
  // A random value if it is unknown: then no worker counts as dead.
  space: mark(spaceOf(readFacts()) ?? randomUUID(), 5),
  look: lookAt,
};

export function workerIdentity(): string {
  const { pid, started } = thisProcess();
  return `${HERE.space}${lifeMark(started)}.${pid}@${HERE.host}`;
}

/** True for a worker whose process was in this process table and has ended. False if that is unknown. */
export function hasDied(identity: string, { host, space, look }: Here = HERE): boolean {
  const { life, pid, ...named } = FORM.exec(identity)?.groups ?? {};
  if (named.host !== host || named.space !== space) return false;
  const now = look(Number(pid));
  return now !== 'hidden' && (now === undefined || lifeMark(now.started) !== life);
}

function readFacts(): SpaceFacts {
  const facts = { boot: bootId(), namespace: '', seesItself: true, mounts: '' };
  if (process.platform !== 'linux') return facts;
  try {
    return {
      ...facts,
      namespace: readlinkSync('/proc/self/ns/pid'),
      seesItself: readlinkSync('/proc/self') === String(process.pid),
      mounts: readFileSync('/proc/self/mountinfo', 'utf8'),
    };
  } catch {
    return { ...facts, seesItself: false };
  }
}

function lifeMark(started: string): string {
  return mark(started, 4);
}

function mark(text: string, length: number): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, length);
}

/** A process identified by its number and its start time, so that a later one with the same number differs. */
export interface ProcessId {
  pid: number;
  started: string;
}

/**
 * Returns the process with this number; undefined if it does not exist, or is a zombie. `hidden`: it exists, but this
 * user may not see its start time (`hidepid`).
 */
export function lookAt(pid: number): ProcessId | 'hidden' | undefined {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: the process lives and belongs to another user.
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return undefined;
  }
  const started = process.platform === 'linux' ? startedOnLinux(pid) : startedByPs(pid);
  if (started === 'ended') return undefined;
  return started === undefined ? 'hidden' : { pid, started };
}

/** True if a debugger or SIGSTOP has stopped the process. False if the system does not report that. */
export function isStopped(pid: number): boolean {
  try {
    return /^[tT]/.test(statFields(pid)[0] ?? '');
  } catch {
    return false;
  }
}

/** Identifies this process. */
function thisProcess(): ProcessId {
  const found = lookAt(process.pid);
  return typeof found === 'object' ? found : { pid: process.pid, started: '' };
}

/** Returns undefined if the start time is hidden. */
function startedOnLinux(pid: number): string | undefined {
  try {
    const fields = statFields(pid);
    return fields[0] === 'Z' || fields[0] === 'X' ? 'ended' : `${bootId()?.slice(0, 8)}-${fields[19]}`;
  } catch {
    return undefined;
  }
}

/** The name in brackets may contain spaces; the state follows it, and 19 fields later the start time. */
function statFields(pid: number): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** Returns a unique id of this boot of this machine; null if the system has no such id. */
function bootId(): string | null {
  try {
    if (process.platform === 'linux') return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    if (process.platform === 'darwin')
      return execFileSync('sysctl', ['-n', 'kern.bootsessionuuid'], { encoding: 'utf8' }).trim() || null;
  } catch {
    // A sandbox may hide it.
  }
  return null;
}

function startedByPs(pid: number): string | undefined {
  if (process.platform === 'win32') return '';
  try {
    const line = execFileSync('ps', ['-o', 'state=,lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    return line === '' || line.startsWith('Z') ? 'ended' : line.replace(/^\S+\s+/, '');
  } catch {
    // The process with this number has ended.
    return 'ended';
  }
}
