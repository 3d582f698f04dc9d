/** Where large results and pictures are kept whole: content by reference, outside workflow history. */
import { createHash, randomUUID } from 'node:crypto';
import { constants, type Dirent } from 'node:fs';
import {
  access,
  mkdir,
  readdir,
  readFile,
  rename,
  rmdir,
  stat,
  unlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { parseJson } from '../../base/json/json.js';
import { errorText } from '../../base/text/error-text.js';
import { SteersmanError } from '../process/errors.js';

export interface BlobPage {
  data: Buffer;
  totalBytes: number;
}

/** A store of immutable contents. References are opaque texts; what a run stored is read in its name alone. */
export interface BlobStore {
  /** Keeps `data` for the run (its workflow id) and returns the reference. The same content, the same reference. */
  put(runId: string, data: string | Uint8Array): Promise<string>;
  /**
   * Reads `length` bytes from `offset`, fewer at the end.
   * @returns null where the run has no such blob, or no longer whole.
   * @throws SteersmanError where it may be there, and this process can not read it.
   */
  read(runId: string, ref: string, range: { offset: number; length: number }): Promise<BlobPage | null>;
}

export const BLOB_REF = /^blob:([A-Za-z0-9_-]{1,80})\/([0-9a-f]{64})$/;
/** Beside the blobs of a run, one file for each namespace that has a run of this id: whose they are. */
const OWNER_FILE = /^\.owner\..*json$/;
const ownerSchema = z.object({
  /** Of the run's namespace, which no two servers share. */
  namespaceId: z.string(),
  workflowId: z.string(),
});
export type BlobOwner = z.infer<typeof ownerSchema>;

/**
 * A store in a local directory: `<dir>/<run>/<sha256>`. Shared by workers only where the directory is; other users
 * of the host can not read it. `namespaceId`: of the runs that it stores for; what nobody can be asked about is
 * never pruned.
 */
export function createLocalBlobStore(dir: string, namespaceId?: () => Promise<string | null>): BlobStore {
  return {
    async put(runId, data) {
      const bytes = bytesOf(data);
      const hash = hashOf(bytes);
      const run = runFolder(runId);
      await writeOnce(join(dir, run), hash, bytes);
      const id = await namespaceId?.();
      if (id) await nameOwner(join(dir, run), { namespaceId: id, workflowId: runId });
      return refOf(runId, hash);
    },
    async read(runId, ref, { offset, length }) {
      const [, run, hash] = BLOB_REF.exec(ref) ?? [];
      if (run === undefined || hash === undefined || run !== runFolder(runId)) return null;
      const data = await readWhole(join(dir, run), hash);
      const from = Math.max(0, offset);
      return data && { data: data.subarray(from, from + Math.max(0, length)), totalBytes: data.length };
    },
  };
}

export function bytesOf(data: string | Uint8Array): Uint8Array {
  return typeof data === 'string' ? Buffer.from(data, 'utf8') : data;
}

export function refOf(runId: string, hash: string): string {
  return `blob:${runFolder(runId)}/${hash}`;
}

/** A folder name for a run: readable, safe on every file system, and different for different ids. */
export function runFolder(runId: string): string {
  const readable = runId.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 40);
  return `${readable}-${createHash('sha256').update(runId).digest('hex').slice(0, 16)}`;
}

/** Once. Without it the blobs stay for good, and nothing else is lost. */
async function nameOwner(folder: string, owner: BlobOwner): Promise<void> {
  const name = `.owner.${hashOf(Buffer.from(owner.namespaceId)).slice(0, 16)}.json`;
  const options = { mode: 0o600, flag: 'wx' };
  await writeFile(join(folder, name), JSON.stringify(owner), options).catch(() => undefined);
}

/** Written aside and renamed: a reader never sees half a blob. */
async function writeOnce(folder: string, name: string, bytes: Uint8Array): Promise<void> {
  const path = join(folder, name);
  const now = new Date();
  try {
    // Stored again: counts as new for the pruning.
    await utimes(path, now, now);
    if (await readWhole(folder, name)) return;
  } catch {
    // Not there yet.
  }
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const aside = join(folder, `.${name}.${randomUUID()}`);
  try {
    await writeFile(aside, bytes, { mode: 0o600 });
    await rename(aside, path);
  } catch (error) {
    // Part of a blob would keep a full disk full.
    await unlink(aside).catch(() => undefined);
    throw error;
  }
}

/** The blob as it was stored: a power cut, a full disk or a copy of the folder can leave another. */
async function readWhole(folder: string, name: string): Promise<Buffer | null> {
  const path = join(folder, name);
  try {
    const data = await readFile(path);
    return hashOf(data) === name ? data : null;
  } catch (error) {
    if (isNotThere(error)) return null;
    throw new SteersmanError(
      `The stored text ${path} can not be read: ${errorText(error)}`,
      OTHER_USER,
      'host',
    );
  }
}

const OTHER_USER = `Workers that share a store run as one user; this one is ${process.getuid?.() ?? 'another'}.`;

function isNotThere(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}

export function hashOf(data: Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

/** Tries a local store as a worker uses it, and makes its folder. @throws SteersmanError that says what does not work. */
export async function tryBlobStore(dir: string): Promise<void> {
  const probe = join(dir, `.probe-${randomUUID()}`);
  try {
    await mkdir(dir, { recursive: true, mode: 0o700 });
    await writeFile(probe, 'probe');
    await unlink(probe);
  } catch (error) {
    await unlink(probe).catch(() => undefined);
    throw new SteersmanError(
      `${dir} can not be written (${errorText(error)})`,
      'Make it writable for this user, or set STEERSMAN_HOME to a folder that is.',
      'host',
    );
  }
  const { R_OK, W_OK, X_OK } = constants;
  for (const { name } of (await list(dir)).filter(entry => entry.isDirectory())) {
    const why = await access(join(dir, name), R_OK | W_OK | X_OK).then(() => null, errorText);
    if (why === null) continue;
    const whose = `${dir} has texts that this user may not read (${why})`;
    throw new SteersmanError(whose, `${OTHER_USER} Give it the folder: chown -R.`, 'host');
  }
}

/** Whether a run had ended by then. */
export type IsOver = (owner: BlobOwner, by: Date) => Promise<boolean>;

/**
 * Removes the blobs of runs that had ended `by` then, as `isOver` says. Where it can't, and where nothing says whose
 * they are, they stay. A directory that is missing, or files that go away meanwhile, are no error.
 * @returns how many blobs were removed.
 */
export async function pruneBlobs(dir: string, by: Date, isOver: IsOver): Promise<number> {
  let removed = 0;
  for (const run of await list(dir)) {
    if (!run.isDirectory()) continue;
    const folder = join(dir, run.name);
    const names = (await list(folder)).map(({ name }) => name);
    const stored = await Promise.all(names.map(name => stat(join(folder, name)).catch(() => null)));
    // What was stored lately was stored by a run that was open then.
    if (stored.some(info => info && info.mtime >= by)) continue;
    if (names.length > 0 && !(await allAreOver(await ownersOf(folder, names), by, isOver))) continue;
    for (const name of names) {
      const gone = await unlink(join(folder, name)).catch(() => name);
      if (gone === undefined && !OWNER_FILE.test(name)) removed += 1;
    }
    // Refused by the file system while anything is in it.
    await rmdir(folder).catch(() => undefined);
  }
  return removed;
}

/** Null for one that can't be read. */
function ownersOf(folder: string, names: readonly string[]): Promise<(BlobOwner | null)[]> {
  return Promise.all(
    names
      .filter(name => OWNER_FILE.test(name))
      .map(async name => {
        const text = await readFile(join(folder, name), 'utf8').catch(() => '');
        return ownerSchema.safeParse(parseJson(text)).data ?? null;
      }),
  );
}

/** Of runs of one id in several namespaces each may read the texts: they stay for the last of them. */
async function allAreOver(owners: readonly (BlobOwner | null)[], by: Date, isOver: IsOver): Promise<boolean> {
  for (const owner of owners)
    if (owner === null || !(await isOver(owner, by).catch(() => false))) return false;
  return owners.length > 0;
}

function list(dir: string): Promise<Dirent[]> {
  return readdir(dir, { withFileTypes: true }).catch(() => []);
}
