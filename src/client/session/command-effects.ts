/** What a slash command does. Pure. */
import type { readCommand } from './commands.js';
import { yesEffects } from './gate-keys.js';
import { sent } from './line-editor.js';
import { type Effect, type Step, said, say, type Talk } from './talk-state.js';

export function runCommand(talk: Talk, command: NonNullable<ReturnType<typeof readCommand>>): Step {
  if ('unknown' in command) {
    return { talk, effects: [say(`There is no command ${command.unknown}. /help lists them.`)] };
  }
  if ('missing' in command) return { talk, effects: [say(`Its text is missing: ${command.missing}`)] };
  const next = { ...talk, line: sent(talk.line) };
  if (command.name === 'yes') return switchYes(next, command.text);
  const effect = effectOf(command, talk);
  if (effect.do === 'resume') return { talk: { ...next, held: false }, effects: [effect] };
  return effect.do === 'steer' ? said(next, effect) : { talk: next, effects: [effect] };
}

/** What waits is approved at once, and what comes as it comes. */
function switchYes(talk: Talk, text: string): Step {
  if (text === 'off')
    return { talk: { ...talk, yes: false }, effects: [say('From now on you are asked again.')] };
  if (text !== '') return { talk, effects: [say('It is /yes, or /yes off.')] };
  const lines = [
    'Tools, plans and new courses are approved from now on, until /yes off or until you leave.',
    'Questions and budgets still ask you.',
  ];
  return {
    talk: { ...talk, yes: true },
    effects: [{ do: 'say', lines }, ...yesEffects({ ...talk, yes: true })],
  };
}

function effectOf({ name, text }: { name: string; text: string }, { idle, gates }: Talk): Effect {
  switch (name) {
    case 'take-back':
      return { do: 'take-back' };
    case 'view': {
      const [gate] = gates;
      return gate ? { do: 'view', gate } : say('Nothing waits for your answer.');
    }
    case 'pause':
    case 'resume':
    case 'stop':
    case 'status':
    case 'detach':
    case 'finish':
      return { do: name };
    case 'gates':
      return { do: 'look', at: name };
    case 'transcript':
      return { do: 'transcript', thread: text };
    case 'open':
      return { do: 'open-last' };
    case 'plan':
      return text === '' ? { do: 'look', at: 'plan' } : { do: 'add-task', text };
    case 'budget':
      return text === '' ? { do: 'look', at: 'budget' } : { do: 'set-budget', words: text.split(/\s+/) };
    case 'model':
      return text === '' ? { do: 'look', at: 'model' } : modelChange(text);
    case 'follow':
      return { do: 'follow-up', text };
    case 'steer':
      return idle ? { do: 'follow-up', text } : { do: 'steer', text, when: 'skip' };
    case 'to':
      return steerTo(text);
    case 'interrupt':
      return idle ? { do: 'follow-up', text } : { do: 'steer', text, when: 'interrupt' };
    default:
      return { do: 'look', at: 'help' };
  }
}

/** `ENDPOINT/MODEL`, or a role before it. */
function modelChange(words: string): Effect {
  const [, role, model] = /^(?:([^\s/]+)\s+)?(\S+)$/.exec(words) ?? [];
  if (model?.includes('/') !== true)
    return say('It is /model ENDPOINT/MODEL, or /model ROLE ENDPOINT/MODEL.');
  return { do: 'set-model', model, ...(role === undefined ? {} : { role }) };
}

/** A role that does not read messages is refused by the run, with those that do. */
function steerTo(words: string): Effect {
  const [, to = '', text = ''] = /^(\S+)\s*([\s\S]*)$/.exec(words) ?? [];
  return text === '' ? say('Its text is missing: /to ROLE TEXT') : { do: 'steer', text, when: 'skip', to };
}
