/** Stores large results and pictures whole, by reference, outside workflow history. */
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

/** A store of immutable contents. References are opaque; a run's contents can only be read under its name. */
export interface BlobStore {
  /** Stores `data` for the run (its workflow id) and returns the reference. The same content gives the same reference. */
  put(runId: string, data: string | Uint8Array): Promise<string>;
  /**
   * Reads `length` bytes from `offset`, fewer at the end.
   * @returns null if the run has no such blob, or the blob is damaged.
   * @throws SteersmanError if the blob may exist, but this process can't read it.
   */
  read(runId: string, ref: string, range: { offset: number; length: number }): Promise<BlobPage | null>;
}

export const BLOB_REF = /^blob:([A-Za-z0-9_-]{1,80})\/([0-9a-f]{64})$/;
/** Files next to a run's blobs that name their owners: one for each namespace with a run of this id. */
const OWNER_FILE = /^\.owner\..*json$/;
const ownerSchema = z.object({
  /** Id of the run's namespace, unique across servers. */
  namespaceId: z.string(),
  workflowId: z.string(),
});
export type BlobOwner = z.infer<typeof ownerSchema>;

/**
 * Returns a store in a local directory: `<dir>/<run>/<sha256>`. Workers share it only if they share the directory;
 * other users of the host can't read it. `namespaceId` returns the namespace of the runs. Blobs without a known owner
 * are never pruned.
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

/** Returns a folder name for a run: readable, safe on every file system, and different for different ids. */
export function runFolder(runId: string): string {
  const readable = runId.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 40);
  return `${readable}-${createHash('sha256').update(runId).digest('hex').slice(0, 16)}`;
}

/** Writes the owner file, if it does not exist. If that fails, the blobs are never pruned; nothing else is lost. */
async function nameOwner(folder: string, owner: BlobOwner): Promise<void> {
  const name = `.owner.${hashOf(Buffer.from(owner.namespaceId)).slice(0, 16)}.json`;
  const options = { mode: 0o600, flag: 'wx' };
  await writeFile(join(folder, name), JSON.stringify(owner), options).catch(() => undefined);
}

/** Writes to a temporary file and renames it, so that a reader never sees half a blob. */
async function writeOnce(folder: string, name: string, bytes: Uint8Array): Promise<void> {
  const path = join(folder, name);
  const now = new Date();
  try {
    // A repeated write counts as new for pruning.
    await utimes(path, now, now);
    if (await readWhole(folder, name)) return;
  } catch {
    // The blob does not exist yet.
  }
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const aside = join(folder, `.${name}.${randomUUID()}`);
  try {
    await writeFile(aside, bytes, { mode: 0o600 });
    await rename(aside, path);
  } catch (error) {
    // A partial blob would take space on a full disk.
    await unlink(aside).catch(() => undefined);
    throw error;
  }
}

/** Returns the blob, or null if it differs from what was stored: after a power cut, on a full disk, or in a copied folder. */
async function readWhole(folder: string, name: string): Promise<Buffer | null> {
  const path = join(folder, name);
  try {
    const data = await readFile(path);
    return hashOf(data) === name ? data : null;
  } catch (error) {
    if (isNotThere(error)) return null;
    throw new SteersmanError(
      `The stored text ${path} cannot be read: ${errorText(error)}`,
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

const DRAFT_MS = 3_600_000;

/** Removes files of this form that a killed process left more than an hour ago. A folder that can't be changed keeps them. */
export async function removeDrafts(dir: string, form: RegExp): Promise<void> {
  const drafts = (await list(dir)).filter(({ name }) => form.test(name));
  for (const { name } of drafts) {
    const path = join(dir, name);
    const info = await stat(path).catch(() => null);
    if (info?.isFile() && Date.now() - info.mtimeMs > DRAFT_MS) await unlink(path).catch(() => undefined);
  }
}

/** Temporary files of `writeOnce` and `tryBlobStore`. */
const DRAFT = /^\.[0-9a-f]{64}\./;
const PROBE = /^\.probe-/;

/** Tests a local store as a worker uses it, and creates its folder. @throws SteersmanError naming what fails. */
export async function tryBlobStore(dir: string): Promise<void> {
  const probe = join(dir, `.probe-${randomUUID()}`);
  try {
    await mkdir(dir, { recursive: true, mode: 0o700 });
    await writeFile(probe, 'probe');
    await unlink(probe);
  } catch (error) {
    await unlink(probe).catch(() => undefined);
    throw new SteersmanError(
      `${dir} cannot be written (${errorText(error)})`,
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

/** Tells whether a run had ended by that time. */
export type IsOver = (owner: BlobOwner, by: Date) => Promise<boolean>;

/**
 * Removes the blobs of runs that had ended `by` that time, according to `isOver`. If `isOver` fails, or a folder has no
 * owner file, the blobs stay. A missing directory, or files that disappear meanwhile, are not errors.
 * @returns the number of removed blobs.
 */
export async function pruneBlobs(dir: string, by: Date, isOver: IsOver): Promise<number> {
  let removed = 0;
  await removeDrafts(dir, PROBE);
  for (const run of await list(dir)) {
    if (!run.isDirectory()) continue;
    const folder = join(dir, run.name);
    await removeDrafts(folder, DRAFT);
    const names = (await list(folder)).map(({ name }) => name);
    const stored = await Promise.all(names.map(name => stat(join(folder, name)).catch(() => null)));
    // Blobs stored later than that belong to a run that was still open.
    if (stored.some(info => info && info.mtime >= by)) continue;
    if (names.length > 0 && !(await allAreOver(await ownersOf(folder, names), by, isOver))) continue;
    for (const name of names) {
      const gone = await unlink(join(folder, name)).catch(() => name);
      if (gone === undefined && !OWNER_FILE.test(name)) removed += 1;
    }
    // Fails as long as the folder has files.
    await rmdir(folder).catch(() => undefined);
  }
  return removed;
}

/** Returns null for an owner file that can't be read. */
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

/** Runs of one id in several namespaces may all read the texts, so these stay until the last run has ended. */
async function allAreOver(owners: readonly (BlobOwner | null)[], by: Date, isOver: IsOver): Promise<boolean> {
  for (const owner of owners)
    if (owner === null || !(await isOver(owner, by).catch(() => false))) return false;
  return owners.length > 0;
}

function list(dir: string): Promise<Dirent[]> {
  return readdir(dir, { withFileTypes: true }).catch(() => []);
}
