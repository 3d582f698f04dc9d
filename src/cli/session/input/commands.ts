/** The slash commands of a session. Pure. */
import type { SessionWords } from '../words.js';

export interface SlashCommand {
  name: keyof SessionWords['commands'];
  /** The text that it takes, if any; in brackets where it also does without. */
  takes: string | null;
}

export const COMMANDS: readonly SlashCommand[] = [
  { name: 'pause', takes: null },
  { name: 'resume', takes: null },
  { name: 'stop', takes: null },
  { name: 'status', takes: null },
  { name: 'steer', takes: 'TEXT' },
  { name: 'to', takes: 'ROLE TEXT' },
  { name: 'interrupt', takes: 'TEXT' },
  { name: 'view', takes: null },
  { name: 'take-back', takes: null },
  { name: 'follow', takes: 'TEXT' },
  { name: 'gates', takes: null },
  { name: 'yes', takes: '[off]' },
  { name: 'plan', takes: '[TEXT]' },
  { name: 'budget', takes: '[NAME=VALUE …]' },
  { name: 'model', takes: '[[ROLE] MODEL]' },
  { name: 'open', takes: null },
  { name: 'transcript', takes: '[THREAD]' },
  { name: 'detach', takes: null },
  { name: 'finish', takes: null },
  { name: 'help', takes: null },
];

export type ReadCommand =
  | { name: string; text: string }
  /** Not a command that there is. */
  | { unknown: string }
  | { missing: string };

/** The command of this name, or the only one that begins so. */
export function commandOf(word: string): SlashCommand | undefined {
  const found = COMMANDS.filter(({ name }) => name.startsWith(word));
  return found.find(({ name }) => name === word) ?? (found.length === 1 ? found[0] : undefined);
}

/** Reads a line that begins with `/`; null for any other. The start of a name will do where it is the only one. */
export function readCommand(line: string): ReadCommand | null {
  const match = /^\/(\S*)\s*([\s\S]*)$/.exec(line);
  if (match === null) return null;
  const [, word = '', rest = ''] = match;
  const command = commandOf(word);
  if (command === undefined) return { unknown: `/${word}` };
  const needs = command.takes !== null && !command.takes.startsWith('[');
  if (needs && rest.trim() === '') return { missing: `/${command.name} ${command.takes}` };
  return { name: command.name, text: rest.trim() };
}

/** What `/help` lists: a key or a command, and what it does. */
export function helpRows({ keys, commands, slash }: SessionWords): [string, string][] {
  return [
    ...Object.entries(keys),
    ...COMMANDS.map(({ name, takes }): [string, string] => [
      `/${name}${takes ? ` ${takes}` : ''}`,
      commands[name],
    ]),
    ['', slash],
  ];
}
