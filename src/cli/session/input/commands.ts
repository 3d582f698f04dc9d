/** The slash commands of a session. Pure. */
import { READERS } from '../../../core/agents/modes.js';
import { anyOf } from '../../../shared/format.js';

export interface SlashCommand {
  name: string;
  /** The text that it takes, if any; in brackets where it also does without. */
  takes: string | null;
  does: string;
}

export const COMMANDS: readonly SlashCommand[] = [
  { name: 'pause', takes: null, does: 'hold before the next model or tool call' },
  { name: 'resume', takes: null, does: 'go on' },
  { name: 'stop', takes: null, does: 'end with what there is' },
  { name: 'status', takes: null, does: 'where the run stands' },
  { name: 'steer', takes: 'TEXT', does: 'say something to the running goal (as Enter does)' },
  {
    name: 'to',
    takes: 'ROLE TEXT',
    does: `say something to the ${anyOf([...READERS, 'a sub-agent'])} alone`,
  },
  { name: 'interrupt', takes: 'TEXT', does: 'cut off what runs, and say something (as Esc does)' },
  { name: 'view', takes: null, does: 'all that the run asks about (as v does)' },
  { name: 'take-back', takes: null, does: 'take back what you said last, to edit it (as Alt+Up does)' },
  { name: 'follow', takes: 'TEXT', does: 'queue the next goal (as Alt+Enter does)' },
  { name: 'gates', takes: null, does: 'all that waits for your answer' },
  {
    name: 'yes',
    takes: '[off]',
    does: 'approve what waits and what will be asked, while this session is open',
  },
  { name: 'plan', takes: '[TEXT]', does: 'the tasks; with a text: add it as a task' },
  { name: 'budget', takes: '[NAME=VALUE …]', does: 'the limits and what is used of them; or change some' },
  {
    name: 'model',
    takes: '[[ROLE] MODEL]',
    does: 'which model each role has; with a model: change it, of one role or of all',
  },
  {
    name: 'open',
    takes: null,
    does: 'what waits for you, else the last tool call or reply, whole (as Ctrl-O does)',
  },
  { name: 'transcript', takes: '[THREAD]', does: 'the whole conversation' },
  { name: 'detach', takes: null, does: 'leave; the run goes on' },
  { name: 'finish', takes: null, does: 'end the run when its goal is answered, and leave' },
  { name: 'help', takes: null, does: 'keys and commands' },
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
export const HELP: readonly (readonly [string, string])[] = [
  ['Enter', 'steer: it is read before the next model call; after the answer, the next goal'],
  ['Alt+Enter, Ctrl-F', 'queue the text as a follow-up, the next goal'],
  ['Ctrl-J', 'a new line in the text; Shift+Enter too, in terminals that tell it, and \\ before Enter'],
  [
    'Esc',
    'interrupt: cut off what runs and say the text at once; without a text: cut off what runs and hold, until Enter says what to do or, without a text, lets it go on',
  ],
  ['Tab, Up, Down', 'what a list below the line offers: / for commands, @ for files of the workspace'],
  ['Ctrl-O', 'what waits for you, else the last tool call or reply, whole; Left: the one before it'],
  ['Alt+Up', 'take back what you said last, if nobody has read it yet, to edit it'],
  ['Ctrl-C', 'stop, detach or go on; twice: detach'],
  ['Up, Down', 'between the lines of the text; at its first and last, what was sent before'],
  ['Alt+B, Alt+F', 'a word back, forward (Ctrl or Alt with Left, Right too); Ctrl-A, Ctrl-E: the line'],
  ['Ctrl-W, -U, -K', 'cut a word, to the start, to the end of the line; Ctrl-Y puts it back'],
  ...COMMANDS.map(({ name, takes, does }) => [`/${name}${takes ? ` ${takes}` : ''}`, does] as const),
  ['', 'A line that is to begin with / is sent with a space before it.'],
];
