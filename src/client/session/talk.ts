/** What a person's keys do in a session: a reducer with effects. Pure. */
import { runCommand } from './command-effects.js';
import { readCommand } from './commands.js';
import { answerGate, editGate, quickAnswer, refuse } from './gate-keys.js';
import type { Key } from './keys.js';
import { pressKey, sent, withText } from './line-editor.js';
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
  const next = { ...talk, line };
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
  return said({ ...talk, line: sent(line) }, effect);
}

function followUp(talk: Talk): Step {
  const text = talk.line.text.trim();
  if (text === '' || talk.stage.kind !== 'compose') return { talk, effects: [] };
  return { talk: { ...talk, line: sent(talk.line) }, effects: [{ do: 'follow-up', text }] };
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
