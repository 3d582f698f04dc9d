/** Applies a person's keys in a session: a reducer with effects. Pure. */
import { yesOrNoOf } from 'steersman/rules';
import { runCommand } from './commands.js';
import { menuKey, withMenu } from './complete.js';
import { answerGate, editGate, quickAnswer, refuse } from './gate-keys.js';
import type { Key } from './keys.js';
import { type Intent, pressKey, sent, withText } from './line-editor.js';
import { readPromptCall } from './prompt-line.js';
import { type SessionState, type Step, say, send, spoken } from './session-state.js';

export function onKey(talk: SessionState, key: Key, now: number): Step {
  if (talk.stage.kind === 'leave') return leaveKey(talk, key);
  const chosen = menuKey(talk, key);
  if (chosen && 'talk' in chosen) return chosen;
  const { talk: next, effects } = typedKey(chosen?.typed ?? talk, key, now);
  return withMenu(talk, next, effects);
}

function typedKey(talk: SessionState, key: Key, now: number): Step {
  const quick = quickAnswer(talk, key, now);
  if (quick) return quick;
  const { line, intent } = pressKey(talk.line, key);
  const sure = talk.stage.kind === 'sure';
  const stage: SessionState['stage'] = sure && intent === null ? { kind: 'compose' } : talk.stage;
  const unseen = talk.gates.length > 0 && talk.gateSince === null;
  const next = { ...talk, line, stage, early: (talk.early || unseen) && line.text !== '' };
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
    case 'end':
      if (intent === 'end' && line.text !== '') return { talk: next, effects: [] };
      return talk.idle
        ? { talk, effects: [{ do: 'finish' }] }
        : { talk: { ...next, stage: { kind: 'leave' } }, effects: [] };
  }
}

/**
 * True for a line that must be confirmed once: a single-letter yes or no without a gate, and an answer that was begun
 * before the gate opened. Commands need no confirmation.
 */
function isDoubtful({ line, stage, gates, early }: SessionState, intent: Intent): boolean {
  if (stage.kind !== 'compose' || /^\/|^\s*$/.test(line.text)) return false;
  const answers = gates.length > 0 && intent === 'submit';
  return answers ? early : line.text.trim().length === 1 && yesOrNoOf(line.text) !== null;
}

function leaveKey(talk: SessionState, { name = '', ctrl = false }: Key): Step {
  const back: SessionState = { ...talk, stage: { kind: 'compose' } };
  if (name === 'd' || (name === 'c' && ctrl)) return { talk: back, effects: [{ do: 'detach' }] };
  if (name === 's') return { talk: back, effects: [{ do: 'stop' }] };
  return { talk: ['c', 'escape', 'return'].includes(name) ? back : talk, effects: [] };
}

function submit(talk: SessionState): Step {
  const { line, stage, gates } = talk;
  const [gate] = gates;
  if (gate && stage.kind === 'reason') return refuse(talk, gate);
  if (gate && stage.kind === 'edit') return editGate(talk, gate, stage.text);
  const call = readPromptCall(line.text);
  if (call !== null)
    return { talk: { ...talk, line: sent(line) }, effects: [{ do: 'prompt', ...call, typed: line.text }] };
  const command = runCommand(talk, { answer: gate?.kind === 'question' });
  if (command !== null) return command;
  const text = line.text.trim();
  if (text === '') return talk.held ? send(talk) : { talk, effects: [] };
  if (gate) return answerGate(talk, gate, text);
  return spoken(messageSent(talk), text, 'skip');
}

function messageSent(talk: SessionState): SessionState {
  return { ...talk, line: sent(talk.line), stage: { kind: 'compose' } };
}

function followUp(talk: SessionState): Step {
  const text = talk.line.text.trim();
  const { kind } = talk.stage;
  if (text === '' || (kind !== 'compose' && kind !== 'sure')) return { talk, effects: [] };
  return { talk: messageSent(talk), effects: [{ do: 'follow-up', text }] };
}

function escaped(talk: SessionState): Step {
  const { line, stage } = talk;
  if (stage.kind !== 'compose') {
    return { talk: { ...talk, line: withText(line, ''), stage: { kind: 'compose' } }, effects: [] };
  }
  const text = line.text.trim();
  if (text === '') return interrupted(talk);
  if (text.startsWith('/')) return { talk: { ...talk, line: withText(line, '') }, effects: [] };
  return spoken({ ...talk, line: sent(line) }, text, 'interrupt');
}

/** Esc without a text: the run pauses until the person says what to do instead. */
function interrupted(talk: SessionState): Step {
  const { idle, gates, held } = talk;
  if (idle) return { talk, effects: [say('Nothing runs now.')] };
  if (gates.length > 0) return { talk, effects: [say('Nothing runs now: it waits for your answer.')] };
  if (held) return { talk, effects: [] };
  return { talk: { ...talk, held: true }, effects: [{ do: 'hold' }] };
}
