/**
 * Patterns of permissions: a glob over names of tools, perhaps with one over arguments: `write(src/**)`.
 * What a path leads to by symbolic links only the tool's server can know.
 */
import { canonicalJson } from '../../base/json/json.js';
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

/** Arguments that hold text: not looked at where others name what the call is about. */
const TEXT_NAMES =
  /^(contents?|text|body|data|message|description|instructions?|prompt|title|summary|edits|(old|new)_?(text|string|str))$/i;
/** How long a command may take: the one argument beside it that says nothing of what runs. */
const TIME_NAMES = /^time_?out(_?(ms|s|secs?|seconds|millis|milliseconds))?$/i;
/** Arguments that describe a command: a pattern that a person wrote over commands does not ask for them. */
const ABOUT_NAMES = /^(description|title|summary|explanation|reason|purpose)$/i;
const FOLDER_NAMES = /^(cwd|work(ing)?_?dir(ectory)?|dir|directory|folder)$/i;
/** Longer strings are no paths, but where an argument names one: a server makes it plain before it is too long. */
const MOST_PATH_CHARS = 4_096;

export interface PermissionPattern {
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

/**
 * The command that a call runs, as a text: alone, or as JSON with all arguments beside it but its timeout. Null for a
 * call of a tool that runs none.
 */
export function commandOf(input: CalledWith['input']): string | null {
  const telling = Object.entries(input).filter(([name]) => !TIME_NAMES.test(name));
  if (!telling.some(([name]) => isCommandName(name))) return null;
  const [[, only] = [], ...others] = telling;
  return typeof only === 'string' && others.length === 0 ? only : canonicalJson(Object.fromEntries(telling));
}

/** `name(*)` is every call, as the name alone. */
export function readPattern(pattern: string): PermissionPattern {
  const [, names, args] = /^([^()]+)\((.*)\)$/s.exec(pattern) ?? [];
  if (names === undefined || args === undefined) return { names: pattern, args: null };
  return { names, args: /^\*+$/.test(args) ? null : args };
}

/**
 * For `deny` and `confirm`: true where one argument, or the line that words make, matches one of the globs, in any
 * case of letters and with any blanks, and a bare name in any folder. Where `work` became too much nobody knows.
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

/** Whether a path is one that globs of `deny` name: as `touchesArgument`, for many paths. */
export function pathMatcher(globs: readonly string[], workspace: string): (path: string) => boolean {
  const base = fold(workspace);
  const patterns = touching(globs, base);
  return path => {
    const way = partsOf(fold(path), base);
    return patterns.some(({ paths }) => paths.some(glob => matchesPath(way, glob, newWork())));
  };
}

/** The words of commands, each once. */
function wordsIn(texts: readonly CallText[], work: Work): string[] {
  const commands = texts.filter(({ text, place }) => place === 'command' && takesWork(work, text));
  return [...new Set(commands.flatMap(({ text }) => commandWords(fold(text))))];
}

/** Whether a word of a command may be a path that a pattern names: a shell may make a name of a glob. */
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

/** What a call says besides texts of files, also as the lines that its words make. */
function comparedTexts(input: CalledWith['input'], work: Work): CallText[] {
  const all = [...textsIn(input, { joined: false }), ...linesIn(input, work)];
  const isNamed = all.some(({ place }) => place !== null);
  return distinct(isNamed ? all.filter(({ place, key }) => place !== null || !TEXT_NAMES.test(key)) : all);
}

/** As it is written, and with single blanks: `rm  -rf` is `rm -rf`. */
function textForms(text: string): string[] {
  return [...new Set([text, text.replace(/\s+/g, ' ').trim()])];
}

/** For `auto`: true where one glob matches every argument that says what the call is about. False for too much work. */
export function coversArguments(globs: readonly string[], called: CalledWith, work: Work): boolean {
  const { input, workspace } = called;
  const patterns = [...new Set(globs)].map(glob => compiled(glob, glob, workspace));
  const asked = decidingTexts(called, work);
  const holds =
    asked.length > 0 &&
    patterns.some(pattern => asked.every(text => covers(pattern, text, { input, workspace }, work)));
  return holds && !isTooMuch(work);
}

/** Beside a command every text may say what it does, but where it runs within the workspace. */
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
 * A line has the commands that the pattern has, one by one: what `*` and `?` stand for is a part of one command, and
 * nothing that a shell makes another one of.
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

/** Whether something stands for other characters in it. */
function isOpen(pattern: string): boolean {
  return /[*?]/.test(pattern);
}

/** A glob read for texts, and for paths, where `**` stands for any folders, and all else for one part. */
interface Compiled {
  glob: string;
  texts: Glob;
  paths: readonly PathPart[][];
  /** The paths as they are written. */
  parts: readonly string[][];
}

function compiled(glob: string, pathGlob: string, base: string): Compiled {
  const parts = alternatives(pathGlob).map(plain => partsOf(plain, base));
  return { glob, texts: readGlob(glob), paths: parts.map(path => path.map(readPathPart)), parts };
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

function partsOf(path: string, base: string): string[] {
  return plainPath(path, base)
    .split('/')
    .filter(part => part !== '');
}

function fold(text: string): string {
  // Some letters have no small form of their own, and one of two others: `ſ` is an s.
  return text.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC');
}
