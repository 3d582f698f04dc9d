/** Applies a person's keys in a session: a reducer with effects. Pure. */
import { yesOrNoOf } from 'steersman/rules';
import { runCommand } from './commands.js';
import { menuKey, withMenu } from './complete.js';
import { answerGate, editGate, quickAnswer, refuse } from './gate-keys.js';
import type { Key } from './keys.js';
import { type Intent, pressKey, sent, withText } from './line-editor.js';
import { readPromptCall } from './prompt-line.js';
import { type SessionState, type Step, say, send, spoken } from './session-state.js';

export function onKey(session: SessionState, key: Key, now: number): Step {
  if (session.stage.kind === 'leave') return leaveKey(session, key);
  const chosen = menuKey(session, key);
  if (chosen && 'session' in chosen) return chosen;
  const { session: next, effects } = typedKey(chosen?.typed ?? session, key, now);
  return withMenu(session, next, effects);
}

function typedKey(session: SessionState, key: Key, now: number): Step {
  const quick = quickAnswer(session, key, now);
  if (quick) return quick;
  const { line, intent } = pressKey(session.line, key);
  const sure = session.stage.kind === 'sure';
  const stage: SessionState['stage'] = sure && intent === null ? { kind: 'compose' } : session.stage;
  const unseen = session.gates.length > 0 && session.gateSince === null;
  const next = { ...session, line, stage, early: (session.early || unseen) && line.text !== '' };
  if (['submit', 'follow-up', 'escape'].includes(intent ?? '') && isDoubtful(next, intent))
    return { session: { ...next, stage: { kind: 'sure' } }, effects: [] };
  switch (intent) {
    case null:
      return { session: next, effects: [] };
    case 'submit':
      return submit(next);
    case 'follow-up':
      return followUp(next);
    case 'escape':
      return escaped(next);
    case 'take-back':
      return { session: next, effects: [{ do: 'take-back' }] };
    case 'open':
      return { session: next, effects: [{ do: 'open-last' }] };
    case 'interrupt':
    case 'end':
      if (intent === 'end' && line.text !== '') return { session: next, effects: [] };
      return session.idle
        ? { session, effects: [{ do: 'finish' }] }
        : { session: { ...next, stage: { kind: 'leave' } }, effects: [] };
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

function leaveKey(session: SessionState, { name = '', ctrl = false }: Key): Step {
  const back: SessionState = { ...session, stage: { kind: 'compose' } };
  if (name === 'd' || (name === 'c' && ctrl)) return { session: back, effects: [{ do: 'detach' }] };
  if (name === 's') return { session: back, effects: [{ do: 'stop' }] };
  return { session: ['c', 'escape', 'return'].includes(name) ? back : session, effects: [] };
}

function submit(session: SessionState): Step {
  const { line, stage, gates } = session;
  const [gate] = gates;
  if (gate && stage.kind === 'reason') return refuse(session, gate);
  if (gate && stage.kind === 'edit') return editGate(session, gate, stage.text);
  const call = readPromptCall(line.text);
  if (call !== null)
    return {
      session: { ...session, line: sent(line) },
      effects: [{ do: 'prompt', ...call, typed: line.text }],
    };
  const command = runCommand(session, { answer: gate?.kind === 'question' });
  if (command !== null) return command;
  const text = line.text.trim();
  if (text === '') return session.held ? send(session) : { session, effects: [] };
  if (gate) return answerGate(session, gate, text);
  return spoken(messageSent(session), text, 'skip');
}

function messageSent(session: SessionState): SessionState {
  return { ...session, line: sent(session.line), stage: { kind: 'compose' } };
}

function followUp(session: SessionState): Step {
  const text = session.line.text.trim();
  const { kind } = session.stage;
  if (text === '' || (kind !== 'compose' && kind !== 'sure')) return { session, effects: [] };
  return { session: messageSent(session), effects: [{ do: 'follow-up', text }] };
}

function escaped(session: SessionState): Step {
  const { line, stage } = session;
  if (stage.kind !== 'compose') {
    return { session: { ...session, line: withText(line, ''), stage: { kind: 'compose' } }, effects: [] };
  }
  const text = line.text.trim();
  if (text === '') return interrupted(session);
  if (text.startsWith('/')) return { session: { ...session, line: withText(line, '') }, effects: [] };
  return spoken({ ...session, line: sent(line) }, text, 'interrupt');
}

/** Esc without a text: the run pauses until the person says what to do instead. */
function interrupted(session: SessionState): Step {
  const { idle, gates, held } = session;
  if (idle) return { session, effects: [say('Nothing runs now.')] };
  if (gates.length > 0) return { session, effects: [say('Nothing runs now: it waits for your answer.')] };
  if (held) return { session, effects: [] };
  return { session: { ...session, held: true }, effects: [{ do: 'hold' }] };
}
