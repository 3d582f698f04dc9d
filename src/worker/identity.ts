/** Who a worker is to Temporal: a name by which a later worker of this machine can tell that it has died. */
import { createHash } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { identify, thisProcess } from '../stack/process-id.js';

/**
 * `<space><life>.<process id>@<host>`, short since six events of a turn record it. `space` is of the machine's
 * table of processes (containers of one host have one each), `life` of the process's start.
 */
const FORM = /^(?<space>[\w-]{3})(?<life>[\w-]{4})\.(?<pid>\d+)@(?<host>.+)$/;

export function workerIdentity(): string {
  const { pid, started } = thisProcess();
  return `${spaceMark()}${lifeMark(started)}.${pid}@${hostname()}`;
}

/** True for a worker whose process was in this machine's table and is there no more. False where nobody can tell. */
export function hasDied(identity: string): boolean {
  const { space, life = '', pid = '', host } = FORM.exec(identity)?.groups ?? {};
  if (host !== hostname() || space !== spaceMark()) return false;
  const now = identify(Number(pid));
  return now === undefined || lifeMark(now.started) !== life;
}

function lifeMark(started: string): string {
  return mark(started, 4);
}

function spaceMark(): string {
  try {
    return mark(readlinkSync('/proc/self/ns/pid'), 3);
  } catch {
    // Systems without such spaces have one table.
    return mark(process.platform, 3);
  }
}

function mark(text: string, length: number): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, length);
}
