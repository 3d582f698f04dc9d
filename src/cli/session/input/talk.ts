/** What a person's keys do in a session: a reducer with effects. Pure. */
import { yesOrNoOf } from '../../../core/gates/gate-words.js';
import { readCommand } from './commands.js';
import { answerGate, editGate, quickAnswer, refuse, yesEffects } from './gate-keys.js';
import type { Key } from './keys.js';
import { type Intent, pressKey, sent, withText } from './line-editor.js';
import { menuKey, withMenu } from './menu.js';
import { readPromptCall } from './prompt-line.js';
import { type Effect, type Step, said, say, type Talk } from './talk-state.js';

/** One key. */
export function onKey(talk: Talk, key: Key, now: number): Step {
  if (talk.stage.kind === 'leave') return leaveKey(talk, key);
  const chosen = menuKey(talk, key);
  if (chosen && 'talk' in chosen) return chosen;
  const { talk: next, effects } = typedKey(chosen?.typed ?? talk, key, now);
  return withMenu(talk, next, effects);
}

function typedKey(talk: Talk, key: Key, now: number): Step {
  const quick = quickAnswer(talk, key, now);
  if (quick) return quick;
  const { line, intent } = pressKey(talk.line, key);
  const sure = talk.stage.kind === 'sure';
  const stage: Talk['stage'] = sure && intent === null ? { kind: 'compose' } : talk.stage;
  const next = { ...talk, line, stage, early: talk.early && line.text !== '' };
  if (['submit', 'follow-up', 'escape'].includes(intent ?? '') && isDoubtful(next, intent))
    return { talk: { ...next, stage: { kind: 'sure' } }, effects: [] };
  switch (intent) {
    case null:
      return { talk: next, effects: [] };
    case 'submit':
      return submit(next);
    case 'follow-up':
      return followUp(next);
    case 'escape':
      return escaped(next);
    case 'take-back':
      return { talk: next, effects: [{ do: 'take-back' }] };
    case 'open':
      return { talk: next, effects: [{ do: 'open-last' }] };
    case 'interrupt':
      return talk.idle
        ? { talk, effects: [{ do: 'finish' }] }
        : { talk: { ...next, stage: { kind: 'leave' } }, effects: [] };
    case 'end':
      if (line.text !== '') return { talk: next, effects: [] };
      return talk.idle
        ? { talk, effects: [{ do: 'finish' }] }
        : { talk: { ...next, stage: { kind: 'leave' } }, effects: [] };
  }
}

/**
 * A line that is asked back once: a lone yes or no that answers nothing, and one that was begun before the question
 * was there. Commands mean the same at any time.
 */
function isDoubtful({ line, stage, gates, early }: Talk, intent: Intent): boolean {
  if (stage.kind !== 'compose' || /^\/|^\s*$/.test(line.text)) return false;
  const answers = gates.length > 0 && intent === 'submit';
  return answers ? early : line.text.trim().length === 1 && yesOrNoOf(line.text) !== null;
}

function leaveKey(talk: Talk, { name = '', ctrl = false }: Key): Step {
  const back: Talk = { ...talk, stage: { kind: 'compose' } };
  if (name === 'c' && ctrl) return { talk: back, effects: [{ do: 'detach' }] };
  if (name === 's') return { talk: back, effects: [{ do: 'stop' }] };
  if (name === 'd') return { talk: back, effects: [{ do: 'detach' }] };
  return name === 'c' || name === 'escape' || name === 'return'
    ? { talk: back, effects: [] }
    : { talk, effects: [] };
}

function submit(talk: Talk): Step {
  const { line, stage, gates, idle } = talk;
  const [gate] = gates;
  if (gate && stage.kind === 'reason') return refuse(talk, gate);
  if (gate && stage.kind === 'edit') return editGate(talk, gate, stage.text);
  const call = readPromptCall(line.text);
  if (call !== null)
    return { talk: { ...talk, line: sent(line) }, effects: [{ do: 'prompt', ...call, typed: line.text }] };
  const command = readCommand(line.text);
  const isAnswer = gate?.kind === 'question' && command !== null && 'unknown' in command;
  if (command !== null && !isAnswer) return runCommand(talk, command);
  const text = line.text.trim();
  if (text === '') return talk.held ? said(talk) : { talk, effects: [] };
  if (gate) return answerGate(talk, gate, text);
  const effect: Effect = idle ? { do: 'follow-up', text } : { do: 'steer', text, when: 'skip' };
  return said(messageSent(talk), effect);
}

function messageSent(talk: Talk): Talk {
  return { ...talk, line: sent(talk.line), stage: { kind: 'compose' } };
}

function followUp(talk: Talk): Step {
  const text = talk.line.text.trim();
  const { kind } = talk.stage;
  if (text === '' || (kind !== 'compose' && kind !== 'sure')) return { talk, effects: [] };
  return { talk: messageSent(talk), effects: [{ do: 'follow-up', text }] };
}

function escaped(talk: Talk): Step {
  const { line, stage, idle } = talk;
  if (stage.kind !== 'compose') {
    return { talk: { ...talk, line: withText(line, ''), stage: { kind: 'compose' } }, effects: [] };
  }
  const text = line.text.trim();
  if (text === '') return interrupted(talk);
  if (text.startsWith('/')) return { talk: { ...talk, line: withText(line, '') }, effects: [] };
  const effect: Effect = idle ? { do: 'follow-up', text } : { do: 'steer', text, when: 'interrupt' };
  return said({ ...talk, line: sent(line) }, effect);
}

/** Esc without a text: what to do instead is still to be said, so the run waits for that. */
function interrupted(talk: Talk): Step {
  const { idle, gates, held } = talk;
  if (idle) return { talk, effects: [say('Nothing runs now.')] };
  if (gates.length > 0) return { talk, effects: [say('Nothing runs now: it waits for your answer.')] };
  if (held) return { talk, effects: [] };
  return { talk: { ...talk, held: true }, effects: [{ do: 'hold' }] };
}

// What a slash command does. Pure.

function runCommand(talk: Talk, command: NonNullable<ReturnType<typeof readCommand>>): Step {
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
