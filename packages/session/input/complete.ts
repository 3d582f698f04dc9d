/**
 * The completion list below the line: commands, their arguments, or files of the workspace after an `@`; and the keys
 * that choose from it. Pure.
 */
import { DEFAULT_LIMITS } from 'steersman/client';
import { READERS } from 'steersman/run';
import { COMMANDS } from './commands.js';
import type { Key } from './keys.js';
import type { Line } from './line-editor.js';
import { type PromptMenu, promptArguments, promptNames, serverToAsk } from './prompt-line.js';
import type { Choice, Completion, Effect, Menu, SessionState, Step } from './session-state.js';
import type { SessionWords } from './words.js';

const MOST_CHOICES = 50;

const ARGUMENTS: Record<string, readonly string[]> = {
  to: READERS,
  budget: Object.keys(DEFAULT_LIMITS).map(name => `${name}=`),
  yes: ['off'],
};

export function completionAt(
  { text, cursor }: Pick<Line, 'text' | 'cursor'>,
  { files, prompts, agents, words }: Pick<SessionState, 'files' | 'prompts' | 'agents' | 'words'>,
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

/** True if the cursor is in a word that begins with `@`: then the files must be loaded. */
function asksForFiles({ text, cursor }: Pick<Line, 'text' | 'cursor'>): boolean {
  return FILE_WORD.test(text.slice(0, cursor));
}

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
  // The role is the first argument; the text after it has no completion.
  if (words.length === 0 || (name === 'to' && /^\/\S+ +\S+ /.test(before))) return null;
  const choices = words.map(text => ({ text: text.endsWith('=') ? text : `${text} `, note: '' }));
  return { kind: 'argument', from: before.length - word.length, to: before.length, choices };
}

/** An `@` in the middle of a word is excluded: the word may be an address. */
const FILE_WORD = /(?<=^|[\s"'(])@(\S*)$/;

/** The `@` only opens the list: the chosen path replaces it, so that tools can use the path. */
function fileCompletion(before: string, files: readonly string[]): Completion | null {
  const found = FILE_WORD.exec(before);
  if (found === null) return null;
  const choices = rankFiles(files, found[1] ?? '').map(path => ({
    text: `${/\s/.test(path) ? `"${path}"` : path} `,
    note: '',
  }));
  return { kind: 'file', from: found.index, to: before.length, choices };
}

/** Returns the matching paths, best first: at the start of the path, of a name, elsewhere, then with letters between. */
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

function isScattered(path: string, asked: string): boolean {
  let at = -1;
  for (const character of asked) {
    at = path.indexOf(character, at + 1);
    if (at < 0) return false;
  }
  return true;
}

/** Returns the state with the completion list for its line. A changed line gets a new list. */
export function withMenu(before: SessionState, session: SessionState, effects: Effect[] = []): Step {
  const { line, files, prompts } = session;
  const sameLine = line.text === before.line.text && line.cursor === before.line.cursor;
  const same = sameLine && files === before.files && prompts === before.prompts;
  if (same && session.stage === before.stage) return { session, effects };
  // Recalled lines get no list, because Up and Down continue in the history; nor do answers to gates.
  const offers = session.stage.kind === 'compose' && line.at === null;
  const completion = offers ? completionAt(line, session) : null;
  const menu = completion && { completion, at: 0, moved: false };
  return {
    session: { ...session, menu },
    effects: offers ? [...effects, ...asked(before, session)] : effects,
  };
}

/** Returns effects that load what the list needs, once for each name that a person begins to type. */
function asked(before: SessionState, { line, prompts }: SessionState): Effect[] {
  const effects: Effect[] = [];
  if (asksForFiles(line) && !asksForFiles(before.line)) effects.push({ do: 'list-files' });
  const server = serverToAsk(line, prompts);
  if (server !== null && server !== serverToAsk(before.line, before.prompts))
    effects.push({ do: 'list-prompts', server });
  return effects;
}

/**
 * Handles a key while the list is open. Up and Down mark; Tab takes the marked choice, as Enter does after Up or Down;
 * Esc closes a list of files. `typed`: the choice is in the line, and the key has its usual meaning. Null: the list
 * does not use the key.
 */
export function menuKey(
  session: SessionState,
  { name = '', ctrl, meta, shift }: Key,
): Step | { typed: SessionState } | null {
  const { menu } = session;
  if (menu === null || ctrl || meta) return null;
  const { choices, kind } = menu.completion;
  switch (name) {
    case 'up':
    case 'down': {
      const step = name === 'up' ? choices.length - 1 : 1;
      const at = (menu.at + step) % choices.length;
      return { session: { ...session, menu: { ...menu, at, moved: true } }, effects: [] };
    }
    case 'tab':
      return chosen(session, menu);
    case 'return': {
      if (!menu.moved || shift) return null;
      const step = chosen(session, menu);
      // A command without arguments is complete.
      return kind === 'command' && !/[ :]$/.test(step.session.line.text) ? { typed: step.session } : step;
    }
    case 'escape':
      return kind === 'file' ? { session: { ...session, menu: null }, effects: [] } : null;
    default:
      return null;
  }
}

function chosen(session: SessionState, { completion, at }: Menu): Step {
  const choice = completion.choices[at];
  if (choice === undefined) return { session, effects: [] };
  return withMenu(session, { ...session, line: withChoice(session.line, completion, choice) });
}
