/** Where large results and pictures are kept whole: content by reference, outside workflow history. */
import { createHash, randomUUID } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { mkdir, readdir, readFile, rename, rmdir, stat, unlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

interface BlobPage {
  data: Buffer;
  totalBytes: number;
}

/** A store of immutable contents. References are opaque texts; a run can read only what it stored itself. */
export interface BlobStore {
  /** Keeps `data` for the run (its workflow id) and returns the reference. The same content, the same reference. */
  put(runId: string, data: string | Uint8Array): Promise<string>;
  /**
   * Reads `length` bytes from `offset`, fewer at the end.
   * @returns null where the run has no such blob, or no longer whole.
   */
  read(runId: string, ref: string, range: { offset: number; length: number }): Promise<BlobPage | null>;
}

const REF = /^blob:([A-Za-z0-9_-]{1,80})\/([0-9a-f]{64})$/;
const DAY_MS = 86_400_000;

/**
 * A store in a local directory: `<dir>/<run>/<sha256>`. Shared by workers only where the directory is; other users
 * of the host can not read it.
 */
export function createLocalBlobStore(dir: string): BlobStore {
  return {
    async put(runId, data) {
      const bytes = typeof data === 'string' ? Buffer.from(data, 'utf8') : data;
      const hash = hashOf(bytes);
      const run = runFolder(runId);
      await writeOnce(join(dir, run), hash, bytes);
      return `blob:${run}/${hash}`;
    },
    async read(runId, ref, { offset, length }) {
      const [, run, hash] = REF.exec(ref) ?? [];
      if (run === undefined || hash === undefined || run !== runFolder(runId)) return null;
      const data = await readWhole(join(dir, run), hash);
      const from = Math.max(0, offset);
      return data && { data: data.subarray(from, from + Math.max(0, length)), totalBytes: data.length };
    },
  };
}

/** A folder name for a run: readable, safe on every file system, and different for different ids. */
function runFolder(runId: string): string {
  const readable = runId.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 40);
  return `${readable}-${createHash('sha256').update(runId).digest('hex').slice(0, 16)}`;
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
  const data = await readFile(join(folder, name)).catch(() => null);
  return data && hashOf(data) === name ? data : null;
}

function hashOf(data: Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

/**
 * Removes blobs of a local store not stored for `days` days, and folders left empty; called when a worker starts.
 * A directory that is missing, or files that go away meanwhile, are no error.
 * @returns how many blobs were removed.
 */
export async function pruneBlobs(dir: string, days: number, now = Date.now()): Promise<number> {
  let removed = 0;
  for (const run of await list(dir)) {
    if (!run.isDirectory()) continue;
    const folder = join(dir, run.name);
    for (const blob of await list(folder)) {
      const path = join(folder, blob.name);
      const info = await stat(path).catch(() => null);
      if (!info || now - info.mtimeMs < days * DAY_MS) continue;
      removed += await unlink(path).then(
        () => 1,
        () => 0,
      );
    }
    // Refused by the file system while anything is in it.
    await rmdir(folder).catch(() => undefined);
  }
  return removed;
}

function list(dir: string): Promise<Dirent[]> {
  return readdir(dir, { withFileTypes: true }).catch(() => []);
}
