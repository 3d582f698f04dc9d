/**
 * Patterns of permissions: a glob over names of tools, and in parentheses, where it is about some calls only, one over
 * their arguments: `write_file(src/**)`. Decided by the arguments alone: what a path leads to by symbolic links only
 * the tool's server can know.
 */
import { isRecord } from '../json.js';
import { alternatives, matchesAny, matchesSequence } from './glob.js';
import { isPathName, mayNamePlace, plainPath } from './tool-paths.js';

/** Arguments that hold text: not looked at where others name what the call is about. */
const TEXT_NAMES =
  /^(contents?|text|body|data|message|description|instructions?|prompt|title|summary|edits|(old|new)_?(text|string|str))$/i;
/** Longer strings are no paths, but where an argument names one: a server makes it plain before it is too long. */
const MOST_PATH_CHARS = 4_096;

export interface PermissionPattern {
  /** Glob over names. */
  names: string;
  /** Glob over arguments; null: every call. */
  args: string | null;
}

/** What a call is made with, and where its relative paths begin. */
export interface CalledWith {
  input: Readonly<Record<string, unknown>>;
  workspace: string;
  /** What servers take `~` for, where it is known. */
  home?: string;
}

/** `name(*)` is every call, as the name alone. */
export function readPattern(pattern: string): PermissionPattern {
  const [, names, args] = /^([^()]+)\((.*)\)$/s.exec(pattern) ?? [];
  if (names === undefined || args === undefined) return { names: pattern, args: null };
  return { names, args: /^\*+$/.test(args) ? null : args };
}

/** For `deny` and `confirm`: true where one argument matches, in any case of letters, and a bare name in any folder. */
export function touchesArgument(glob: string, { input, workspace, home = '~' }: CalledWith): boolean {
  const all = stringsIn(input);
  const named = all.some(({ place }) => place !== null);
  const asked = named ? all.filter(({ place, key }) => place !== null || !TEXT_NAMES.test(key)) : all;
  const folded = fold(glob);
  const anywhere = !folded.includes('/') || folded.startsWith('**/') ? `/**/${folded}` : folded;
  return asked.some(({ text, place }) => {
    const value = fold(text);
    const paths = place === 'path' || value.length <= MOST_PATH_CHARS ? pathsIn(value, fold(home)) : [];
    if ((place !== 'path' || isAddress(value)) && matchesAny(value, [folded])) return true;
    return paths.some(path => isUnder(plainPath(path, fold(workspace)), anywhere, fold(workspace)));
  });
}

/** For `auto`: true where every argument that says what the call is about matches, as it is written. */
export function coversArguments(glob: string, { input, workspace }: CalledWith): boolean {
  const all = stringsIn(input);
  const named = all.filter(({ place }) => place !== null);
  const asked = named.length > 0 ? named : all;
  return (
    asked.length > 0 &&
    asked.every(({ text, place }) => {
      if (place !== 'path') return matchesAny(text, [glob]);
      if (isDoubtful(text)) return false;
      const paths = isAddress(text) ? filesIn(text) : [text.trim()];
      if (paths.length === 0) return matchesAny(text, [glob]);
      return paths.every(path => isUnder(plainPath(path, workspace), glob, workspace));
    })
  );
}

interface Argument {
  key: string;
  text: string;
  /** `path`: by its name, or that of what holds it; `anything`: a command or the like. */
  place: 'path' | 'anything' | null;
}

function stringsIn(value: unknown, key = '', held: Argument['place'] = null): Argument[] {
  const place = key === '' ? held : (placeOf(key) ?? held);
  if (typeof value === 'string') return [{ key, text: value, place }];
  if (Array.isArray(value)) return value.flatMap(item => stringsIn(item, key, held));
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([name, item]) => [
    // What is no plain word may be a path that has its content for a value.
    ...(key !== '' && !/^\w+$/.test(name) ? [{ key, text: name, place }] : []),
    ...stringsIn(item, name, place),
  ]);
}

function placeOf(key: string): Argument['place'] {
  if (isPathName(key)) return 'path';
  return mayNamePlace(key) ? 'anything' : null;
}

/** Every path that a server may read a text as: what looks like an address can be the name of a folder. */
function pathsIn(text: string, home: string): string[] {
  const trimmed = text.trim();
  const ofUser = /^~(?:$|[/\\])/.test(trimmed) ? [home + trimmed.slice(1)] : [];
  return [trimmed, ...ofUser, ...filesIn(trimmed)];
}

/** The path in the address of a file, with and without what may stand behind it. */
function filesIn(address: string): string[] {
  const path = /^file:(?:\/\/[^/]*)?(\/.*)$/is.exec(address.trim())?.[1];
  return path === undefined ? [] : [decoded(path), decoded(path.replace(/[?#].*$/s, ''))];
}

function isAddress(text: string): boolean {
  return /^[a-z][a-z0-9+.-]+:/i.test(text.trim());
}

/** Whether only its reader knows where it leads. */
function isDoubtful(text: string): boolean {
  const leadsUp = isAddress(text) && decoded(text).split(/[/\\]/).includes('..');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: readers of addresses leave them out.
  return leadsUp || text.length > MOST_PATH_CHARS || /^\s*~|[\u0000-\u001f]/.test(text);
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** `**` stands for any folders, none included; everything else for one part of the path. */
function isUnder(path: string, glob: string, workspace: string): boolean {
  const parts = partsOf(path);
  return alternatives(glob).some(plain =>
    matchesSequence(parts, partsOf(plainPath(plain, workspace)), {
      isStar: part => part === '**',
      fits: (part, pattern) => matchesAny(part, [pattern]),
    }),
  );
}

function partsOf(path: string): string[] {
  return path.split('/').filter(part => part !== '');
}

function fold(text: string): string {
  // Some letters have no small form of their own, and one of two others: `ſ` is an s.
  return text.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC');
}
