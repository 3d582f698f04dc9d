/** The texts of a tool call's arguments, as patterns compare them: each single text, and the lines that words make. */
import { isRecord } from '../../base/json/json.js';
import { alternatives, isTooMuch, takesWork, type Work } from '../../base/text/glob.js';
import { isCommandName, isPathName, mayNamePlace } from './tool-paths.js';

/** Names for separate parts of a command line, in its order. */
const PROGRAM_NAMES = /^(commands?|cmds?|program|executable|shell|file|path|name|tool|script)$/i;
const WORDS_NAMES = /^(args|argv|arguments|params|parameters|flags|options)$/i;
/** These names are unambiguous. */
const SURE_PROGRAM_NAMES = /^(command|cmd|program|executable)$/i;
const SURE_WORDS_NAMES = /^(args|argv|arguments)$/i;

export interface CallText {
  key: string;
  text: string;
  /** `path` or `command` by its own name or its parent's; `anything` for queries and similar texts. */
  place: 'path' | 'command' | 'anything' | null;
}

export function distinct(all: readonly CallText[]): CallText[] {
  return [...new Map(all.map(each => [`${each.place} ${each.text}`, each])).values()];
}

/** Returns every text, at any depth. `joined`: a command passed as words becomes one line. */
export function textsIn(input: unknown, { joined }: { joined: boolean }): CallText[] {
  const found: CallText[] = [];
  const look = (value: unknown, key: string, held: CallText['place'], isListed = false): void => {
    const place = placeByKey(key) ?? held;
    if (typeof value === 'string') found.push({ key, text: value, place });
    else if (Array.isArray(value)) {
      if (joined && isLine(key, value)) found.push({ key, text: lineOf(value), place });
      else for (const item of value) look(item, key, held, true);
    } else if (isRecord(value)) {
      const command = joined ? commandIn(value) : null;
      if (command) found.push({ key, text: command.line, place: 'command' });
      for (const [name, item] of Object.entries(value)) {
        if (command?.names.includes(name)) continue;
        // A key may be a path with its content as value. If every text must match, argument names are not paths.
        const isPlain = /^\w+$/.test(name);
        const mayBePath = key === '' ? !joined && !isPlain : !joined || !isListed || !isPlain;
        if (mayBePath) found.push({ key, text: name, place });
        look(item, name, place);
      }
    }
  };
  look(input, '', null);
  return found;
}

function placeByKey(key: string): CallText['place'] {
  if (isCommandName(key)) return 'command';
  if (isPathName(key)) return 'path';
  return mayNamePlace(key) ? 'anything' : null;
}

/** Returns a program and its separate arguments, if their names are unambiguous. */
function commandIn(record: Record<string, unknown>): { line: string; names: string[] } | null {
  const named = (names: RegExp) => Object.entries(record).filter(([name]) => names.test(name));
  const [programs, lists] = [named(SURE_PROGRAM_NAMES), named(SURE_WORDS_NAMES)];
  const parts = [...programs, ...lists];
  if (programs.length !== 1 || lists.length !== 1) return null;
  if (!parts.every(([name, value]) => typeof value === 'string' || isLine(name, value))) return null;
  const line = parts.map(([, value]) => (Array.isArray(value) ? lineOf(value) : String(value)));
  return { line: line.filter(part => part !== '').join(' '), names: parts.map(([name]) => name) };
}

function isLine(key: string, value: unknown): value is unknown[] {
  const isWord = (item: unknown) => typeof item !== 'object' || item === null;
  const isNamed = SURE_PROGRAM_NAMES.test(key) || SURE_WORDS_NAMES.test(key);
  return isNamed && Array.isArray(value) && value.every(isWord);
}

/** Returns the line as a shell reads it: words with special characters are quoted, so that each stays one word. */
function lineOf(words: readonly unknown[]): string {
  return words
    .map(String)
    .map(word => (/^[^\s"'\\]+$/.test(word) ? word : JSON.stringify(word)))
    .join(' ');
}

interface Line {
  text: string;
  words: number;
}

const NO_WORDS: Line = { text: '', words: 0 };

/** Returns the lines that words make, of lists and of programs with their arguments. Each is counted before it is built. */
export function linesIn(input: unknown, work: Work): CallText[] {
  const found: CallText[] = [];
  const join = (parts: readonly Line[], key: string, place: CallText['place']): Line => {
    const [first = NO_WORDS, ...others] = parts.filter(({ words }) => words > 0);
    if (others.length === 0) return first;
    const all = [first, ...others];
    if (!takesWork(work, { length: all.reduce((sum, { text }) => sum + text.length + 1, 0) }))
      return NO_WORDS;
    const text = all.map(part => part.text).join(' ');
    found.push({ key, text, place });
    return { text, words: all.reduce((sum, { words }) => sum + words, 0) };
  };
  const look = (value: unknown, key: string, held: CallText['place']): Line => {
    const place = placeByKey(key) ?? held;
    if (value === undefined || value === null || isTooMuch(work)) return NO_WORDS;
    if (typeof value !== 'object') return { text: String(value), words: 1 };
    if (Array.isArray(value)) {
      const parts = value.map(item => look(item, key, held));
      return join(parts, key, place === 'path' ? null : place);
    }
    const members = Object.entries(value).map(([name, item]) => ({ name, line: look(item, name, place) }));
    joinPrograms(members);
    return NO_WORDS;
  };
  const joinPrograms = (members: readonly { name: string; line: Line }[]) => {
    const lists = members.filter(({ name }) => WORDS_NAMES.test(name)).map(({ line }) => line);
    if (lists.length === 0) return;
    const tails = lists.length > 1 ? [...lists.map(list => [list]), lists] : [lists];
    for (const { name, line } of members) {
      if (!PROGRAM_NAMES.test(name)) continue;
      for (const tail of tails) {
        if (isTooMuch(work)) return;
        join([line, ...tail], name, null);
      }
    }
  };
  look(input, '', null);
  return found;
}

/** Characters that end a word outside quotes. */
const ENDS = /[\s;|&<>()`]/;
/** A name may follow one of these: `--file=.env`, `HEAD:.env`, `@.env`. */
const BEHIND = /[=:@,]/;

/**
 * Returns the literal words of a command line: without quotes and escapes, each choice of braces, and each part after a
 * `=`, `:`, `@` or `,`. A shell may make other words, from variables, a command's output and scripts, which can't be
 * known before it runs.
 */
export function commandWords(command: string): string[] {
  const plain = plainWords(command);
  // A quoted text may itself be a command, as after `sh -c`.
  const inner = plain.filter(word => ENDS.test(word)).flatMap(plainWords);
  const words = [...plain, ...inner].flatMap(alternatives);
  return [...words, ...words.flatMap(word => word.split(BEHIND).slice(1))].filter(word => word !== '');
}

function plainWords(command: string): string[] {
  const words: string[] = [];
  let word = '';
  let quote = '';
  for (let at = 0; at < command.length; at += 1) {
    const sign = command[at] ?? '';
    if (sign === '\\' && quote !== "'") {
      at += 1;
      word += command[at] === '\n' ? '' : (command[at] ?? '');
    } else if (sign === quote) quote = '';
    else if (quote === '' && (sign === '"' || sign === "'")) quote = sign;
    else if (quote === '' && ENDS.test(sign)) {
      words.push(word);
      word = '';
    } else word += sign;
  }
  return [...words, word];
}

/** True if a shell replaces the word by file names. */
export function isShellGlob(word: string): boolean {
  return /[*?[]/.test(word);
}
