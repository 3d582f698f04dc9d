/** Reading configuration files: text or a clear error. */
import { readdir, readFile } from 'node:fs/promises';
import { isAbsolute, relative } from 'node:path';
import { SteersmanError } from '../errors.js';

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
export async function readTextIfPresent(file: string): Promise<string | null> {
  try {
    const text = await readFile(file, 'utf8');
    return text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return null;
    throw unreadable(file, error);
  }
}

/** Names in a folder, sorted; `null` when there is no such folder. Folders end in `/`. */
export async function listFolder(folder: string): Promise<string[] | null> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.map(entry => (entry.isDirectory() ? `${entry.name}/` : entry.name)).sort();
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return null;
    throw unreadable(folder, error);
  }
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
