/** Who a worker is to Temporal: a name by which a later worker of this machine can tell that it has died. */
import { execFileSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/**
 * `<space><life>.<process id>@<host>`, short since six events of a turn record it. `space` is of the table of
 * processes that the worker is in, `life` of the process's start.
 */
const FORM = /^(?<space>[\w-]{5})(?<life>[\w-]{4})\.(?<pid>\d+)@(?<host>.+)$/;

/** What a system tells of the table of processes that this one is in. */
export interface SpaceFacts {
  /** Of this start of the machine. Null where it is not told: then no other process can be judged. */
  boot: string | null;
  /** The namespace of process numbers; '' where the system has none. */
  namespace: string;
  /** False where `/proc` shows the processes of another namespace. */
  seesItself: boolean;
  /** As in `/proc/self/mountinfo`. */
  mounts: string;
}

/**
 * What names the table of processes, on whatever machine. All that ran in it and is not found there is gone. Null
 * where nobody can tell. Containers of one machine differ by their namespace; one that was restarted has
 * another, but still its own writable layer, which no two share.
 */
export function spaceOf({ boot, namespace, seesItself, mounts }: SpaceFacts): string | null {
  return boot === null || !seesItself ? null : `${boot} ${writableLayer(mounts) ?? namespace}`;
}

/** Null where a second `/proc` shows a namespace within the container: several may share its layer. */
function writableLayer(mounts: string): string | null {
  const lines = mounts.split('\n').map(line => line.split(' '));
  const at = (place: string) => lines.filter(fields => fields[4] === place);
  if (at('/proc').length !== 1) return null;
  return /(?:^|,)upperdir=([^,]+)/.exec(at('/').at(-1)?.at(-1) ?? '')?.[1] ?? null;
}

/** What a worker knows of its own machine. */
export interface Here {
  host: string;
  /** Mark of the table of processes. */
  space: string;
  look(pid: number): ProcessId | 'hidden' | undefined;
}

const HERE: Here = {
  host: hostname(),
  // What nobody else can have, where it can't be told: then nobody is judged.
  space: mark(spaceOf(readFacts()) ?? randomUUID(), 5),
  look: lookAt,
};

export function workerIdentity(): string {
  const { pid, started } = thisProcess();
  return `${HERE.space}${lifeMark(started)}.${pid}@${HERE.host}`;
}

/** True for a worker whose process was in this table and is there no more. False where nobody can tell. */
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

/** A process that can't be mistaken for a later one with the same number: its pid and when it started. */
export interface ProcessId {
  pid: number;
  started: string;
}

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

/** Stopped, by a debugger or SIGSTOP: it is there and does nothing. False where the system does not tell. */
export function isStopped(pid: number): boolean {
  try {
    return /^[tT]/.test(statFields(pid)[0] ?? '');
  } catch {
    return false;
  }
}

/** This process. */
function thisProcess(): ProcessId {
  const found = lookAt(process.pid);
  return typeof found === 'object' ? found : { pid: process.pid, started: '' };
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
function bootId(): string | null {
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
