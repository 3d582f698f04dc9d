/** The slash commands of a session. Pure. */

import { yesEffects } from './gate-keys.js';
import { sent } from './line-editor.js';
import { type Effect, type SessionState, type Step, say, send, spoken } from './session-state.js';
import type { SessionWords } from './words.js';

interface SlashCommand {
  /** Name of the command's text, in brackets if it is optional; null if it takes no text. */
  takes: string | null;
  run(text: string, session: SessionState): Step;
}

function does(takes: string | null, effect: (text: string, session: SessionState) => Effect): SlashCommand {
  return { takes, run: (text, session) => ({ session, effects: [effect(text, session)] }) };
}

const NAMED: Record<keyof SessionWords['commands'], SlashCommand> = {
  pause: does(null, () => ({ do: 'pause' })),
  resume: {
    takes: null,
    run: (_, session) => ({ session: { ...session, held: false }, effects: [{ do: 'resume' }] }),
  },
  stop: does(null, () => ({ do: 'stop' })),
  status: does(null, () => ({ do: 'status' })),
  steer: { takes: 'TEXT', run: (text, session) => spoken(session, text, 'skip') },
  to: { takes: 'ROLE TEXT', run: steerTo },
  interrupt: { takes: 'TEXT', run: (text, session) => spoken(session, text, 'interrupt') },
  view: does(null, (_, { gates: [gate] }) =>
    gate ? { do: 'view', gate } : say('Nothing waits for your answer.'),
  ),
  'take-back': does(null, () => ({ do: 'take-back' })),
  follow: does('TEXT', text => ({ do: 'follow-up', text })),
  gates: does(null, () => ({ do: 'look', at: 'gates' })),
  yes: { takes: '[off]', run: switchYes },
  plan: does('[TEXT]', text => (text === '' ? { do: 'look', at: 'plan' } : { do: 'add-task', text })),
  budget: does('[NAME=VALUE …]', text =>
    text === '' ? { do: 'look', at: 'budget' } : { do: 'set-budget', words: text.split(/\s+/) },
  ),
  model: does('[[ROLE] MODEL]', text => (text === '' ? { do: 'look', at: 'model' } : modelChange(text))),
  open: does(null, () => ({ do: 'open-last' })),
  transcript: does('[THREAD]', thread => ({ do: 'transcript', thread })),
  detach: does(null, () => ({ do: 'detach' })),
  finish: does(null, () => ({ do: 'finish' })),
  help: does(null, () => ({ do: 'look', at: 'help' })),
};

export const COMMANDS = Object.entries(NAMED).map(([name, command]) => ({
  ...command,
  name: name as keyof SessionWords['commands'],
}));

/** Returns the command of this name, or the only one that begins with it. */
export function commandOf(word: string): (typeof COMMANDS)[number] | undefined {
  const found = COMMANDS.filter(({ name }) => name.startsWith(word));
  return found.find(({ name }) => name === word) ?? (found.length === 1 ? found[0] : undefined);
}

/**
 * Runs a line that begins with `/`. Returns null for other lines, and for an answer to a question that is not a
 * command. A unique beginning of a command's name is enough.
 */
export function runCommand(session: SessionState, { answer }: { answer: boolean }): Step | null {
  const [, word, rest = ''] = /^\/(\S*)\s*([\s\S]*)$/.exec(session.line.text) ?? [];
  if (word === undefined) return null;
  const command = commandOf(word);
  if (command === undefined)
    return answer
      ? null
      : { session, effects: [say(`There is no command /${word}. /help lists them, and Ctrl-C leaves.`)] };
  const { name, takes, run } = command;
  const text = rest.trim();
  if (text === '' && takes !== null && !takes.startsWith('['))
    return { session, effects: [say(`Its text is missing: /${name} ${takes}`)] };
  return run(text, { ...session, line: sent(session.line) });
}

/** Approves the gates that wait now and those that open later. */
function switchYes(text: string, session: SessionState): Step {
  if (text === 'off')
    return { session: { ...session, yes: false }, effects: [say('From now on you are asked again.')] };
  if (text !== '') return { session, effects: [say('Usage: /yes, or /yes off.')] };
  const approving = { ...session, yes: true };
  const message = say(
    'Tool calls, plans and changes of course are approved from now on, until /yes off or until you leave.',
    'Questions and budgets still ask you.',
  );
  return { session: approving, effects: [message, ...yesEffects(approving)] };
}

function modelChange(words: string): Effect {
  const [, role, model] = /^(?:([^\s/]+)\s+)?(\S+)$/.exec(words) ?? [];
  if (model?.includes('/') !== true)
    return say('Usage: /model ENDPOINT/MODEL, or /model ROLE ENDPOINT/MODEL.');
  return { do: 'set-model', model, ...(role === undefined ? {} : { role }) };
}

/** The run itself refuses a role that reads no messages, and names those that do. */
function steerTo(words: string, session: SessionState): Step {
  const [, to = '', text = ''] = /^(\S+)\s*([\s\S]*)$/.exec(words) ?? [];
  if (text === '') return { session, effects: [say('Its text is missing: /to ROLE TEXT')] };
  return send(session, { do: 'steer', text, when: 'skip', to });
}

/** Returns the rows of `/help`: a key or a command, and its effect. */
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
