/**
 * The seat of a home's owner: a socket in the home, which only this user can reach. Who dies leaves its name behind and
 * no lock: a name at which nobody answers counts for nothing.
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

/** What systems take as the path of a socket: 107 bytes on Linux, 103 on macOS. */
const LONGEST_PATH = 100;

const recordSchema = z.object({
  pid: z.number(),
  address: z.string().optional(),
  webUi: z.string().optional(),
});

/** What the latest owner notes for people and for the next one: who it is, and which ports are to be taken again. */
export function readRecord(home: string): z.infer<typeof recordSchema> | undefined {
  return readJson(stackPaths(home).stackFile, recordSchema);
}

/** A full disk takes none: then the next owner may have other ports. */
export function writeRecord(home: string, record: z.infer<typeof recordSchema>): void {
  try {
    writeJson(stackPaths(home).stackFile, record);
  } catch (error) {
    errorLine(errorText(error));
  }
}

/** A connection to the home's owner, but not at the seat `own`; null where there is none. */
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
 * Makes this process the owner, and gives its connections to `accept`. Null where somebody else is. Two who come at the
 * same time want the same name, which the system gives to one. Whatever else happens, nobody is seated who does not find
 * every other name dead after its own was there to be found: so of two, the later one gives way.
 */
export async function takeSeat(home: string, accept: (socket: Socket) => void): Promise<Server | null> {
  if (await isTaken(home)) return null;
  const own = (seatsOf(home).at(-1) ?? 0) + 1;
  const server = createServer(accept);
  const isMade = await within(home, own, path => {
    // For this user only from the moment on that it is made, which is this call, whatever the folder allows.
    const mask = process.umask(0o177);
    server.listen(path);
    process.umask(mask);
    return happens(server, 'listening');
  });
  if (!isMade || (await isTaken(home, own))) {
    server.close();
    return null;
  }
  for (const seat of seatsOf(home)) if (seat !== own) removeFile(seatPath(home, seat));
  return server;
}

async function isTaken(home: string, own?: number): Promise<boolean> {
  const other = await dial(home, own);
  other?.destroy();
  return other !== null;
}

/** False where it fails instead. */
export function happens(emitter: Server | Socket, event: string): Promise<boolean> {
  return once(emitter, event)
    .then(() => true)
    .catch(() => false);
}

/** Their numbers, ascending. */
function seatsOf(home: string): number[] {
  try {
    const numbers = readdirSync(home).map(name => Number(/^owner-(\d+)\.sock$/.exec(name)?.[1]));
    return numbers.filter(Number.isInteger).sort((left, right) => left - right);
  } catch {
    return [];
  }
}

function seatPath(home: string, seat: number): string {
  return join(home, `owner-${seat}.sock`);
}

/** A path that is too long for a socket leads there by a short link. */
async function within<T>(home: string, seat: number, work: (path: string) => Promise<T>): Promise<T> {
  const path = seatPath(home, seat);
  if (Buffer.byteLength(path) <= LONGEST_PATH) return work(path);
  const folder = mkdtempSync(join(tmpdir(), 's-'));
  try {
    symlinkSync(home, join(folder, 'h'));
    return await work(seatPath(join(folder, 'h'), seat));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
