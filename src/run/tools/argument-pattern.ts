/**
 * Patterns of permissions: a glob over tool names, optionally with one over arguments: `write(src/**)`. Only the tool's
 * server can know where a path leads by symbolic links.
 */

import { canonicalJson } from '../../base/json/json.js';
import { decoded } from '../../base/text/decoded.js';
import {
  alternatives,
  type Glob,
  isTooMuch,
  matchesGlob,
  matchesPath,
  mayMeetPath,
  newWork,
  type PathPart,
  readGlob,
  readPathPart,
  takesWork,
  type Work,
} from '../../base/text/glob.js';
import { readShellLine, type ShellCommand } from '../../base/text/shell-line.js';
import { type CallText, commandWords, distinct, isShellGlob, linesIn, textsIn } from './call-texts.js';
import { isCommandName, plainPath } from './tool-paths.js';

/** Arguments with text: ignored if other arguments name the call's subject. */
const TEXT_NAMES =
  /^(contents?|text|body|data|message|description|instructions?|prompt|title|summary|edits|(old|new)_?(text|string|str))$/i;
/** The time limit of a command: the only other argument that does not affect what runs. */
const TIME_NAMES = /^time_?out(_?(ms|s|secs?|seconds|millis|milliseconds))?$/i;
/** Arguments that describe a command: a person's pattern over commands does not apply to them. */
const ABOUT_NAMES = /^(description|title|summary|explanation|reason|purpose)$/i;
const FOLDER_NAMES = /^(cwd|work(ing)?_?dir(ectory)?|dir|directory|folder)$/i;
/** Longer strings are not paths, unless an argument names one: a server may shorten it by normalising. */
const MOST_PATH_CHARS = 4_096;

export interface PermissionPattern {
  names: string;
  /** Glob over arguments; null: every call. */
  args: string | null;
}

/** A call's arguments, and the base of its relative paths. */
export interface CalledWith {
  input: Readonly<Record<string, unknown>>;
  workspace: string;
  /** The folder that servers expand `~` to, if known. */
  home?: string;
}

/**
 * Returns the command that a call runs, as a text: alone, or as JSON with all other arguments except its timeout. Null
 * for a tool that runs no commands.
 */
export function commandOf(input: CalledWith['input']): string | null {
  const telling = Object.entries(input).filter(([name]) => !TIME_NAMES.test(name));
  if (!telling.some(([name]) => isCommandName(name))) return null;
  const [[, only] = [], ...others] = telling;
  return typeof only === 'string' && others.length === 0 ? only : canonicalJson(Object.fromEntries(telling));
}

/** `name(*)` means every call, like the name alone. */
export function readPattern(pattern: string): PermissionPattern {
  const [, names, args] = /^([^()]+)\((.*)\)$/s.exec(pattern) ?? [];
  if (names === undefined || args === undefined) return { names: pattern, args: null };
  return { names, args: /^\*+$/.test(args) ? null : args };
}

/**
 * For `deny` and `confirm`: true if an argument, or the line that words make, matches one of the globs, ignoring case
 * and the number of blanks; a bare name matches in any folder. When `work` is exceeded, the result is unreliable.
 */
export function touchesArgument(
  globs: readonly string[],
  { input, workspace, home = '~' }: CalledWith,
  work: Work,
): boolean {
  const base = fold(workspace);
  const patterns = touching(globs, base);
  const texts = comparedTexts(input, work);
  if (wordsIn(texts, work).some(word => mayName(word, { base, home: fold(home) }, patterns, work)))
    return true;
  return texts.some(({ text, place }) => {
    if (!takesWork(work, text)) return false;
    const value = fold(text);
    const mayBePath = place === 'path' || value.length <= MOST_PATH_CHARS;
    const ways = mayBePath ? pathsIn(value, fold(home)).map(path => partsOf(path, base)) : [];
    const forms = place === 'path' && !isAddress(value) ? [] : textForms(value);
    return patterns.some(
      ({ texts, paths }) =>
        forms.some(form => matchesGlob(form, texts, work)) ||
        ways.some(way => paths.some(path => matchesPath(way, path, work))),
    );
  });
}

function touching(globs: readonly string[], base: string): Compiled[] {
  return [...new Set(globs)].map(glob => {
    const folded = fold(glob);
    const isAnywhere = !folded.includes('/') || folded.startsWith('**/');
    return compiled(folded, isAnywhere ? `/**/${folded}` : folded, base);
  });
}

/** Returns a test for paths that globs of `deny` name: like `touchesArgument`, for many paths. */
export function pathMatcher(globs: readonly string[], workspace: string): (path: string) => boolean {
  const base = fold(workspace);
  const patterns = touching(globs, base);
  return path => {
    const way = partsOf(fold(path), base);
    return patterns.some(({ paths }) => paths.some(glob => matchesPath(way, glob, newWork())));
  };
}

/** Returns the distinct words of commands. */
function wordsIn(texts: readonly CallText[], work: Work): string[] {
  const commands = texts.filter(({ text, place }) => place === 'command' && takesWork(work, text));
  return [...new Set(commands.flatMap(({ text }) => commandWords(fold(text))))];
}

/** True if a word of a command may be a path that a pattern names: a shell may expand a glob to it. */
function mayName(
  word: string,
  { base, home }: { base: string; home: string },
  patterns: readonly Compiled[],
  work: Work,
): boolean {
  if (!takesWork(work, word)) return false;
  const ways = pathsIn(word, home).map(path => partsOf(path, base));
  return patterns.some(({ paths, parts }) =>
    ways.some(
      way =>
        paths.some(path => matchesPath(way, path, work)) ||
        (isShellGlob(word) && parts.some(pattern => mayMeetPath(way, pattern, work))),
    ),
  );
}

/** Returns a call's texts except file contents, and the lines that its words make. */
function comparedTexts(input: CalledWith['input'], work: Work): CallText[] {
  const all = [...textsIn(input, { joined: false }), ...linesIn(input, work)];
  const isNamed = all.some(({ place }) => place !== null);
  return distinct(isNamed ? all.filter(({ place, key }) => place !== null || !TEXT_NAMES.test(key)) : all);
}

/** Returns the text as written, and with single blanks: `rm  -rf` equals `rm -rf`. */
function textForms(text: string): string[] {
  return [...new Set([text, text.replace(/\s+/g, ' ').trim()])];
}

/** For `auto`: true if one glob matches every argument that tells the call's subject. False if `work` is exceeded. */
export function coversArguments(globs: readonly string[], called: CalledWith, work: Work): boolean {
  const { input, workspace } = called;
  const patterns = [...new Set(globs)].map(glob => compiled(glob, glob, workspace));
  const asked = decidingTexts(called, work);
  const holds =
    asked.length > 0 &&
    patterns.some(pattern => asked.every(text => covers(pattern, text, { input, workspace }, work)));
  return holds && !isTooMuch(work);
}

/** Next to a command, any text may change its effect, except a folder within the workspace. */
function decidingTexts(called: CalledWith, work: Work): CallText[] {
  const all = textsIn(called.input, { joined: true });
  const inWorkspace = compiled('**', '**', called.workspace);
  const isBeside = (text: CallText) =>
    TIME_NAMES.test(text.key) ||
    ABOUT_NAMES.test(text.key) ||
    (FOLDER_NAMES.test(text.key) &&
      !isAddress(text.text) &&
      covers(inWorkspace, { ...text, place: 'path' }, called, work));
  if (all.some(({ place }) => place === 'command')) return distinct(all.filter(text => !isBeside(text)));
  const named = all.filter(({ place }) => place !== null);
  return distinct(named.length > 0 ? named : all);
}

function covers(
  { glob, texts, paths }: Compiled,
  { text, place }: CallText,
  { workspace }: CalledWith,
  work: Work,
): boolean {
  if (!takesWork(work, text)) return false;
  if (place === 'command') return coversLine(glob, text, work);
  if (place !== 'path') return matchesGlob(text, texts, work);
  if (isDoubtful(text)) return false;
  const ways = isAddress(text) ? filesIn(text) : [text.trim()];
  if (ways.length === 0) return matchesGlob(text, texts, work);
  return ways
    .map(way => partsOf(way, workspace))
    .every(way => paths.some(path => matchesPath(way, path, work)));
}

/**
 * A line must have the same commands as the pattern, one by one: `*` and `?` match a part of one command, without
 * anything that a shell turns into another one.
 */
function coversLine(glob: string, line: string, work: Work): boolean {
  return alternatives(glob).some(pattern => {
    if (!matchesGlob(line, readGlob(pattern), work)) return false;
    if (!isOpen(pattern)) return true;
    const [wanted, given] = [readShellLine(pattern), readShellLine(line)];
    if (wanted === null || wanted.length !== given?.length) return false;
    return wanted.every((part, at) => coversCommand(part, given[at], work));
  });
}

function coversCommand(pattern: ShellCommand, command: ShellCommand | undefined, work: Work): boolean {
  if (command === undefined || pattern.joint !== command.joint) return false;
  if (!isOpen(pattern.text)) return pattern.text === command.text;
  return !command.writes && !command.expands && matchesGlob(command.text, readGlob(pattern.text), work);
}

/** True if the pattern contains wildcards. */
function isOpen(pattern: string): boolean {
  return /[*?]/.test(pattern);
}

/** A glob compiled for texts, and for paths, where `**` matches any folders and other parts match one. */
interface Compiled {
  glob: string;
  texts: Glob;
  paths: readonly PathPart[][];
  /** The parts of the paths, uncompiled. */
  parts: readonly string[][];
}

function compiled(glob: string, pathGlob: string, base: string): Compiled {
  const parts = alternatives(pathGlob).map(plain => partsOf(plain, base));
  return { glob, texts: readGlob(glob), paths: parts.map(path => path.map(readPathPart)), parts };
}

/** Returns every path that a server may read a text as: an apparent address can be a folder's name. */
function pathsIn(text: string, home: string): string[] {
  const trimmed = text.trim();
  const ofUser = /^~(?:$|[/\\])/.test(trimmed) ? [home + trimmed.slice(1)] : [];
  return [trimmed, ...ofUser, ...filesIn(trimmed)];
}

/** Returns the path in a file's address, with and without query and fragment. */
function filesIn(address: string): string[] {
  const path = /^file:(?:\/\/[^/]*)?(\/.*)$/is.exec(address.trim())?.[1];
  return path === undefined ? [] : [decoded(path), decoded(path.replace(/[?#].*$/s, ''))];
}

function isAddress(text: string): boolean {
  return /^[a-z][a-z0-9+.-]+:/i.test(text.trim());
}

/** True if only the server knows where the path leads. */
function isDoubtful(text: string): boolean {
  const leadsUp = isAddress(text) && decoded(text).split(/[/\\]/).includes('..');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: readers of addresses leave them out.
  return leadsUp || text.length > MOST_PATH_CHARS || /^\s*~|[\u0000-\u001f]/.test(text);
}

function partsOf(path: string, base: string): string[] {
  return plainPath(path, base)
    .split('/')
    .filter(part => part !== '');
}

function fold(text: string): string {
  // Some letters lower-case only via their capital: `ſ` is an s.
  return text.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC');
}
