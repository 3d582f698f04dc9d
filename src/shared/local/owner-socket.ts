/**
 * A process owns a home by listening on a socket in it, its seat, which only this user can reach. A dead owner leaves
 * the socket's name behind, but no lock: a name at which no process answers is ignored.
 */
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { errorText } from '../../base/text/error-text.js';
import { errorLine } from '../process/output.js';
import { stackPaths } from './home.js';
import { readJson, removeFile, writeJson } from './json-file.js';

/** Bound for the path of a socket; Linux accepts 107 bytes, macOS 103. */
const LONGEST_PATH = 100;

const recordSchema = z.object({
  pid: z.number(),
  address: z.string().optional(),
  webUi: z.string().optional(),
});

/** Returns the latest owner's record, for people and for the next owner: its process, and the ports to use again. */
export function readRecord(home: string): z.infer<typeof recordSchema> | undefined {
  return readJson(stackPaths(home).stackFile, recordSchema);
}

/** Ignores write errors, such as a full disk; the next owner may then get other ports. */
export function writeRecord(home: string, record: z.infer<typeof recordSchema>): void {
  try {
    writeJson(stackPaths(home).stackFile, record);
  } catch (error) {
    errorLine(errorText(error));
  }
}

/** Returns a connection to the home's owner, ignoring the seat `own`; null if there is no owner. */
export async function dial(home: string, own?: number): Promise<Socket | null> {
  for (const seat of seatsOf(home).reverse()) {
    if (seat === own) continue;
    const socket = await within(home, seat, async path => {
      const connecting = connect(path);
      return (await happens(connecting, 'connect')) ? connecting : null;
    });
    if (socket !== null) return socket;
  }
  return null;
}

/**
 * Makes this process the owner, and passes connections to `accept`. Returns null if another process is the owner. Two
 * processes that start at the same time want the same name, which the system gives to one of them. Otherwise a process
 * only becomes the owner if all other names are dead after its own has become visible, so the later of two gives way.
 */
export async function becomeOwner(home: string, accept: (socket: Socket) => void): Promise<Server | null> {
  if (await isTaken(home)) return null;
  const own = (seatsOf(home).at(-1) ?? 0) + 1;
  const server = createServer(accept);
  const isMade = await within(home, own, path => {
    // The mask restricts the socket to this user from its creation on, which happens in this call, even if the folder
    // allows more.
    const mask = process.umask(0o177);
    server.listen(path);
    process.umask(mask);
    return happens(server, 'listening');
  });
  if (!isMade || (await isTaken(home, own))) {
    server.close();
    return null;
  }
  for (const seat of seatsOf(home)) if (seat !== own) removeFile(socketPath(home, seat));
  return server;
}

async function isTaken(home: string, own?: number): Promise<boolean> {
  const other = await dial(home, own);
  other?.destroy();
  return other !== null;
}

/** Resolves with false if an error comes instead of the event. */
export function happens(emitter: Server | Socket, event: string): Promise<boolean> {
  return once(emitter, event)
    .then(() => true)
    .catch(() => false);
}

/** Returns the numbers of the sockets in a home, ascending. */
function seatsOf(home: string): number[] {
  try {
    const numbers = readdirSync(home).map(name => Number(/^owner-(\d+)\.sock$/.exec(name)?.[1]));
    return numbers.filter(Number.isInteger).sort((left, right) => left - right);
  } catch {
    return [];
  }
}

function socketPath(home: string, seat: number): string {
  return join(home, `owner-${seat}.sock`);
}

/** Runs `work` with the socket's path; if that is too long for a socket, with a path through a short link. */
async function within<T>(home: string, seat: number, work: (path: string) => Promise<T>): Promise<T> {
  const path = socketPath(home, seat);
  if (Buffer.byteLength(path) <= LONGEST_PATH) return work(path);
  const folder = mkdtempSync(join(tmpdir(), 's-'));
  try {
    symlinkSync(home, join(folder, 'h'));
    return await work(socketPath(join(folder, 'h'), seat));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
