/** What the word at the cursor may become: commands, their arguments, and files of the workspace after an `@`. Pure. */

import { READERS } from '../../../core/agents/modes.js';
import { DEFAULT_LIMITS } from '../../../core/limits/limits.js';
import type { SessionWords } from '../words.js';
import { COMMANDS } from './commands.js';
import type { Line } from './line-editor.js';
import { type PromptMenu, promptArguments, promptNames } from './prompt-line.js';

export interface Choice {
  /** What stands in the line once it is chosen. */
  text: string;
  /** Beside it in the list. */
  note: string;
}

export interface Completion {
  kind: 'command' | 'argument' | 'file';
  /** The part of the line that a choice takes the place of. */
  from: number;
  to: number;
  choices: Choice[];
}

/** What is known of the run that can be typed. */
export interface Known {
  /** Files and folders (with a `/` at the end) of the workspace; null while they are not known. */
  files: readonly string[] | null;
  /** Tool servers and their prompts, as far as they are known. */
  prompts: PromptMenu;
  /** Sub-agents that work, by the ways to them. */
  agents: readonly string[];
  /** In the language of the run. */
  words: SessionWords;
}

const MOST_CHOICES = 50;

/** Arguments that are words of a list. */
const ARGUMENTS: Record<string, readonly string[]> = {
  to: READERS,
  budget: Object.keys(DEFAULT_LIMITS).map(name => `${name}=`),
  yes: ['off'],
};

/** Null where there is nothing to choose. */
export function completionAt(
  { text, cursor }: Pick<Line, 'text' | 'cursor'>,
  { files, prompts, agents, words }: Known,
): Completion | null {
  const before = text.slice(0, cursor);
  const command = /^\/(\S*)$/.exec(before)?.[1];
  const completion =
    command !== undefined
      ? { kind: 'command' as const, from: 0, to: cursor, choices: commandChoices(command, prompts, words) }
      : (promptCompletion(before, prompts) ??
        argumentCompletion(before, agents) ??
        fileCompletion(before, files ?? []));
  const [only, ...more] = completion?.choices ?? [];
  if (completion === null || only === undefined) return null;
  const asTyped = only.text.trimEnd() === before.slice(completion.from);
  return asTyped && more.length === 0 ? null : completion;
}

/** True where an `@` has begun the name of a file: the files are worth knowing now. */
export function asksForFiles({ text, cursor }: Pick<Line, 'text' | 'cursor'>): boolean {
  return FILE_WORD.test(text.slice(0, cursor));
}

/** The line with a choice in it, the cursor behind it. */
export function withChoice<L extends Pick<Line, 'text' | 'cursor'>>(
  line: L,
  { from, to }: Completion,
  choice: Choice,
): L {
  const rest = line.text.slice(to);
  const chosen = rest.startsWith(' ') ? choice.text.trimEnd() : choice.text;
  return { ...line, text: line.text.slice(0, from) + chosen + rest, cursor: from + chosen.length };
}

function commandChoices(start: string, prompts: PromptMenu, words: SessionWords): Choice[] {
  const commands = COMMANDS.filter(({ name }) => name.startsWith(start));
  const choices = commands.map(({ name, takes }) => ({
    text: `/${name}${takes === null ? '' : ' '}`,
    note: [takes, words.commands[name]].filter(Boolean).join(' · '),
  }));
  return [...choices, ...promptNames(start, prompts)];
}

function promptCompletion(before: string, prompts: PromptMenu): Completion | null {
  const found = promptArguments(before, prompts);
  if (found === null || found.offers.length === 0) return null;
  const { word, offers } = found;
  return { kind: 'argument', from: before.length - word.length, to: before.length, choices: offers };
}

function argumentCompletion(before: string, agents: readonly string[]): Completion | null {
  const [, name = '', word = ''] = /^\/(\S+) (?:.* )?(\S*)$/.exec(before) ?? [];
  const known = [...(ARGUMENTS[name] ?? []), ...(name === 'to' ? agents : [])];
  const words = known.filter(candidate => candidate.startsWith(word));
  // A role comes first; whatever comes after it is text.
  if (words.length === 0 || (name === 'to' && /^\/\S+ +\S+ /.test(before))) return null;
  const choices = words.map(text => ({ text: text.endsWith('=') ? text : `${text} `, note: '' }));
  return { kind: 'argument', from: before.length - word.length, to: before.length, choices };
}

/** Not in the middle of a word: that may be an address. */
const FILE_WORD = /(?<=^|[\s"'(])@(\S*)$/;

/** The `@` only asks for the list: what is chosen stands in the text as a path that tools take. */
function fileCompletion(before: string, files: readonly string[]): Completion | null {
  const found = FILE_WORD.exec(before);
  if (found === null) return null;
  const choices = rankFiles(files, found[1] ?? '').map(path => ({
    text: `${/\s/.test(path) ? `"${path}"` : path} `,
    note: '',
  }));
  return { kind: 'file', from: found.index, to: before.length, choices };
}

/** Paths that fit the query, best first: those that begin with it, then by their own name, then anywhere in it. */
export function rankFiles(files: readonly string[], query: string): string[] {
  const asked = query.toLowerCase();
  return files
    .map(path => ({ path, rank: rankOf(path.toLowerCase(), asked) }))
    .filter(({ rank }) => rank < NO_MATCH)
    .sort((a, b) => a.rank - b.rank || depthOf(a.path) - depthOf(b.path) || (a.path < b.path ? -1 : 1))
    .slice(0, MOST_CHOICES)
    .map(({ path }) => path);
}

const NO_MATCH = 4;

function rankOf(path: string, asked: string): number {
  if (path.startsWith(asked)) return 0;
  const at = path.lastIndexOf(asked);
  if (at >= 0) return path[at - 1] === '/' ? 1 : 2;
  return isScattered(path, asked) ? 3 : NO_MATCH;
}

function depthOf(path: string): number {
  return path.replace(/\/$/, '').split('/').length;
}

/** All characters of `asked`, in this order. */
function isScattered(path: string, asked: string): boolean {
  let at = -1;
  for (const character of asked) {
    at = path.indexOf(character, at + 1);
    if (at < 0) return false;
  }
  return true;
}
