/** Reads configuration files: returns their content or throws a clear error. */
import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { isAbsolute, join, relative } from 'node:path';
import { parseEnv } from 'node:util';
import { LRUCache } from 'lru-cache';
import { isOwned } from '../../shared/local/protocol.js';
import { env } from '../../shared/process/env.js';
import { SteersmanError } from '../../shared/process/errors.js';
import { oneLine } from '../../shared/process/terminal-text.js';

/**
 * Returns a path as messages show it: relative if it is below the current folder. Those of a background worker are read
 * in other folders: they show it whole. Its names may be foreign.
 */
export function displayPath(file: string): string {
  const isRelative = isAbsolute(file) && !isOwned(env.taskQueue() ?? '');
  const short = isRelative ? relative(process.cwd(), file) : file;
  return oneLine(short === '' || short.startsWith('..') || isAbsolute(short) ? file : short);
}

/**
 * Checks that the configuration folder exists; it may be empty. Otherwise a misspelt name would silently mean the
 * defaults: no permissions and no tools.
 * @throws SteersmanError that names the folder and what it should hold.
 */
export async function checkConfigDir(folder: string): Promise<void> {
  if ((await listFolder(folder)) !== null) return;
  throw new SteersmanError(
    `The configuration folder ${displayPath(folder)} does not exist, or is not a folder.`,
    'Name the folder that holds steersman.yaml, .mcp.json and prompts.',
  );
}

/** Configuration files are smaller than this. */
const MOST_FILE_BYTES = 1_000_000;

/**
 * Returns a file's bytes; null if it does not exist. A stranger may have made it: reading a pipe or a device, perhaps
 * behind a link, might never end.
 * @throws SteersmanError that names it if it is not a regular file, has more than `most` bytes or can't be read.
 */
function readBytes(file: string, most = MOST_FILE_BYTES): Buffer | null {
  try {
    // Opening a device can itself have effects.
    if (!statSync(file).isFile()) throw unreadable(file, 'not a regular file');
    // The file may have been replaced since.
    const opened = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const { size } = fstatSync(opened);
      if (size > most) throw unreadable(file, `larger than ${most} bytes`);
      const buffer = Buffer.allocUnsafe(size + 1);
      const length = readSync(opened, buffer, 0, size + 1, 0);
      // Kernel files have no size, and some have no end.
      if (length > size) throw unreadable(file, 'larger than its stated size');
      return buffer.subarray(0, length);
    } finally {
      closeSync(opened);
    }
  } catch (error) {
    if (isMissing(error)) return null;
    throw unreadable(file, error);
  }
}

/**
 * Returns a file's text unchanged; null if it does not exist.
 * @throws SteersmanError that names it if it exists and can't be read.
 */
export function readText(file: string): string | null {
  return readBytes(file)?.toString() ?? null;
}

/** Returns the text without byte order mark and with plain line ends; unchanged files are not read again. */
export function readTextIfPresent(file: string): Promise<string | null> {
  return unlessUnchanged(texts, file, async () => {
    const text = readText(file);
    return text === null ? null : withoutMark(text).replaceAll('\r\n', '\n');
  });
}

function withoutMark(text: string): string {
  return text.replace(/^\uFEFF/, '');
}

/** Returns the beginning of a file that a stranger may change meanwhile: links are not followed, and pipes are refused. */
export async function readHead(file: string, most: number): Promise<{ head: Buffer; size: number }> {
  const opened = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stat = await opened.stat();
    if (!stat.isFile()) throw Object.assign(new Error('it is not a file'), { code: 'not a file' });
    const { buffer, bytesRead } = await opened.read({ buffer: Buffer.alloc(most), position: 0 });
    return { head: buffer.subarray(0, bytesRead), size: stat.size };
  } finally {
    await opened.close();
  }
}

/** Returns the variables of a folder's `.env`; {} if `.env` is a folder, as some tools create. */
export function readDotEnv(dir: string): Record<string, string> {
  const file = join(dir, '.env');
  const text = isFolder(file) ? null : readText(file);
  // Node would read a byte order mark as part of the first name.
  return parseEnv(withoutMark(text ?? '')) as Record<string, string>;
}

/** The most that the folders of tools and prompts may hold. A link in them can lead to the root of the file system. */
const MOST_FILES = 10_000;
const MOST_FOLDER_BYTES = 100_000_000;

/**
 * Lists every file below a folder except packages, or except what `isPart` rejects: its relative name, and a digest of its content. Links are followed,
 * because loading follows them; a folder reached by another name is listed with its place, and entered once.
 * @throws SteersmanError that names the unreadable path, or the folder if it holds too much.
 */
export function marksBelow(
  folder: string,
  isPart = (name: string) => name !== 'node_modules',
): [name: string, mark: string][] {
  const marks: [string, string][] = [];
  const seen = new Set<string>();
  let files = 0;
  let room = MOST_FOLDER_BYTES;
  const take = (path: string): void => {
    const bytes = readBytes(join(folder, path), room);
    // A link without a target.
    if (bytes === null) return;
    room -= bytes.length;
    marks.push([path, createHash('sha256').update(bytes).digest('hex')]);
  };
  const goInto = (path: string): void => {
    try {
      const real = realpathSync(join(folder, path));
      const place = relative(realpathSync(folder), real);
      if (place !== path) marks.push([path, place]);
      if (seen.has(real)) return;
      seen.add(real);
      const names = readdirSync(real).filter(isPart);
      for (const below of names.sort().map(name => join(path, name))) {
        files += 1;
        if (files > MOST_FILES) throw unreadable(folder, `more than ${MOST_FILES} files`);
        if (isFolder(join(folder, below))) goInto(below);
        else take(below);
      }
    } catch (error) {
      throw unreadable(join(folder, path), error);
    }
  };
  if (isFolder(folder)) goInto('');
  return marks;
}

function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch (error) {
    throw unreadable(path, error);
  }
}

/** Returns the sorted names in a folder; null if it does not exist. Folders end in `/`. */
export function listFolder(folder: string): Promise<readonly string[] | null> {
  return unlessUnchanged(listings, folder, async () => {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.map(entry => (entry.isDirectory() ? `${entry.name}/` : entry.name)).sort();
  });
}

interface Remembered<T> {
  /** The path's stamp when it was read: while it is equal, so is the content. */
  stamp: string;
  value: T;
}

/** Each run reads its configuration, each tool call its permissions: nearly always they are unchanged. */
const texts = new LRUCache<string, Remembered<string>>({ max: 200 });
const listings = new LRUCache<string, Remembered<readonly string[]>>({ max: 200 });

async function unlessUnchanged<T>(
  memory: LRUCache<string, Remembered<T>>,
  path: string,
  read: () => Promise<T | null>,
): Promise<T | null> {
  try {
    const stamp = stampOf(path);
    const last = memory.get(path);
    if (last !== undefined && last.stamp === stamp) return last.value;
    const value = await read();
    if (stamp === null || value === null) memory.delete(path);
    else memory.set(path, { stamp, value });
    return value;
  } catch (error) {
    if (isMissing(error)) return null;
    throw unreadable(path, error);
  }
}

/** File system clocks are coarse: a file changed more recently may change again with the same time. */
const SETTLED_MS = 2_000;

/** Null if the stamp is not yet reliable. @throws if the path does not exist. */
function stampOf(path: string): string | null {
  const { mtimeNs, ctimeNs, ino, size, ctimeMs } = statSync(path, { bigint: true });
  return Date.now() - Number(ctimeMs) < SETTLED_MS ? null : [mtimeNs, ctimeNs, ino, size].join();
}

export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}

function isMissing(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(errorCode(error));
}

/** `why`: the thrown error, or a text. */
function unreadable(path: string, why: unknown): SteersmanError {
  if (why instanceof SteersmanError) return why;
  return new SteersmanError(
    `${displayPath(path)} cannot be read (${errorCode(why)}).`,
    'Check that it is a file that this user may read.',
  );
}
