/** Reading configuration files: text or a clear error. */
import { statSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { isAbsolute, relative } from 'node:path';
import { LRUCache } from 'lru-cache';
import { SteersmanError } from '../shared/errors.js';

/** A path as messages show it: relative where it is below the current folder. */
export function displayPath(file: string): string {
  if (!isAbsolute(file)) return file;
  const short = relative(process.cwd(), file);
  return short === '' || short.startsWith('..') || isAbsolute(short) ? file : short;
}

/**
 * Checks that the folder of the configuration is there, be it empty. Without this a misspelt name would mean the
 * defaults: no permissions, no tools, and nobody told.
 * @throws SteersmanError that names the folder and what it should hold.
 */
export async function checkConfigDir(folder: string): Promise<void> {
  if ((await listFolder(folder)) !== null) return;
  throw new SteersmanError(
    `The configuration folder ${displayPath(folder)} does not exist, or is not a folder.`,
    'Name the folder that holds steersman.yaml, .mcp.json and prompts.',
  );
}

/**
 * Text of a file, without byte order mark and with plain line ends; null when there is no such file.
 * @throws SteersmanError when it is there and can not be read.
 */
export function readTextIfPresent(file: string): Promise<string | null> {
  return unlessUnchanged(texts, file, async () => {
    const text = await readFile(file, 'utf8');
    return text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  });
}

/** Names in a folder, sorted; `null` when there is no such folder. Folders end in `/`. */
export function listFolder(folder: string): Promise<readonly string[] | null> {
  return unlessUnchanged(listings, folder, async () => {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.map(entry => (entry.isDirectory() ? `${entry.name}/` : entry.name)).sort();
  });
}

interface Remembered<T> {
  /** Of the path when it was read: as long as it is the same, so is what is there. */
  stamp: string;
  value: T;
}

/** Each run reads its configuration anew, each tool call its permissions: nearly always what was read before. */
const texts = new LRUCache<string, Remembered<string>>({ max: 200 });
const listings = new LRUCache<string, Remembered<readonly string[]>>({ max: 200 });

async function unlessUnchanged<T>(
  memory: LRUCache<string, Remembered<T>>,
  path: string,
  read: () => Promise<T>,
): Promise<T | null> {
  try {
    const stamp = stampOf(path);
    const last = memory.get(path);
    if (last !== undefined && last.stamp === stamp) return last.value;
    const value = await read();
    if (stamp === null) memory.delete(path);
    else memory.set(path, { stamp, value });
    return value;
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return null;
    throw unreadable(path, error);
  }
}

/** The clock of a file system is coarse: what changed less than this ago may change again and bear the same time. */
const SETTLED_MS = 2_000;

/** Null where it says too little. @throws where there is nothing. */
function stampOf(path: string): string | null {
  const { mtimeNs, ctimeNs, ino, size, ctimeMs } = statSync(path, { bigint: true });
  return Date.now() - Number(ctimeMs) < SETTLED_MS ? null : [mtimeNs, ctimeNs, ino, size].join();
}

/** The code of a file system error, such as `ENOENT`. */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}

function unreadable(file: string, error: unknown): SteersmanError {
  return new SteersmanError(
    `${displayPath(file)} can not be read (${errorCode(error)}).`,
    'Check that it is a file that this user may read.',
  );
}
