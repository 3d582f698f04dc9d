/** The files and folders that a tool call concerns, by its arguments: a write leaves all others unchanged. */

import { isRecord } from '../../base/json/json.js';
import type { ToolDefinition } from './tool.js';

const PATH_NAMES = /^(paths?|files?|file_?names?|file_?paths?|source|destination|dir|directory|folder)$/i;
const COMMAND =
  /^(commands?|cmds?|command_?line|program|executable|scripts?|code|shell|args|argv|arguments)$/i;
/** Other arguments that may do anything anywhere, regardless of any path next to them. */
const ANYTHING = /^(query|queries|sql|expression)$/i;
/** Other arguments that may name a path, such as `newPath` or `to`. */
const PERHAPS_A_PATH =
  /path|file|folder|dir|dest|target|source|output|uri|url|name|^(to|from|into|src|dst|out|cwd|root|base)$/i;
/** A call with more paths is treated as concerning everything. */
const MOST_PATHS = 20;

/** Returns the absolute paths that a call names; null if it may concern any path. Relative ones start at `base`. */
export function pathsOf(input: Readonly<Record<string, unknown>>, base: string): string[] | null {
  const entries = Object.entries(input);
  if (entries.some(([name]) => isCommandName(name) || ANYTHING.test(name))) return null;
  if (entries.some(([name]) => PERHAPS_A_PATH.test(name) && !PATH_NAMES.test(name))) return null;
  const values = entries.flatMap(([name, value]) => (PATH_NAMES.test(name) ? [value].flat() : []));
  if (values.length === 0 || values.length > MOST_PATHS) return null;
  const paths = values.map(value => (typeof value === 'string' ? absolutePath(value, base) : null));
  return paths.every(path => path !== null) ? paths : null;
}

/** Returns the names of a tool's arguments, from its schema. */
export function argumentNames({
  inputSchema: { properties },
}: Pick<ToolDefinition, 'inputSchema'>): string[] {
  return isRecord(properties) ? Object.keys(properties) : [];
}

export function isPathName(name: string): boolean {
  return PATH_NAMES.test(name) || (PERHAPS_A_PATH.test(name) && !/name$/i.test(name));
}

export function isCommandName(name: string): boolean {
  return COMMAND.test(name);
}

/** True for an argument that may name a call's subject. */
export function mayNamePlace(name: string): boolean {
  return isCommandName(name) || ANYTHING.test(name) || PERHAPS_A_PATH.test(name);
}

/** Null for a text that is not a file path, such as an address. */
function absolutePath(path: string, base: string): string | null {
  if (path.trim() === '' || /^[a-z][a-z0-9+.-]+:/i.test(path)) return null;
  return plainPath(path, base).toLowerCase();
}

/** Makes a path absolute, without `.`, `..` and double slashes; above the root is the root. */
export function plainPath(path: string, base: string): string {
  const plain = path.replaceAll('\\', '/');
  const parts: string[] = [];
  for (const part of (plain.startsWith('/') ? plain : `${base}/${plain}`).split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}

/** True if a path in `written` equals, contains, or lies in one in `read`. Unknown paths touch all, except an empty `read`. */
export function touches(written: readonly string[] | null, read: readonly string[] | null): boolean {
  if (read?.length === 0) return false;
  if (written === null || read === null) return true;
  return written.some(one => read.some(other => isWithin(one, other) || isWithin(other, one)));
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`);
}

const ADDRESS = /^[a-z][a-z0-9+.-]+:|^[^/\s]+@[^/\s]+$/i;

/** Returns the paths that a call may write, as it names them, relative to the workspace if they lie in it. */
export function namedPaths(input: Readonly<Record<string, unknown>>, workspace: string): string[] {
  const values = Object.entries(input).flatMap(([name, value]) => (isPathName(name) ? [value].flat() : []));
  const paths = values.filter(value => typeof value === 'string').filter(isPath);
  const base = plainPath(workspace, '/');
  const plain = paths.map(path => plainPath(path, workspace));
  const named = plain.map(path => (path.startsWith(`${base}/`) ? path.slice(base.length + 1) : path));
  return [...new Set(named)].slice(0, MOST_PATHS);
}

function isPath(value: string): boolean {
  return (
    value.trim() !== '' && !value.includes('\n') && value.length <= MOST_PATH_CHARS && !ADDRESS.test(value)
  );
}

const MOST_PATH_CHARS = 400;
