/** What a person's keys do in a session: a reducer with effects. Pure. */
import type { Gate } from '../../core/gates/gate.js';
import { answerFromWords } from '../../core/gates/gate-words.js';
import type { SteerTime } from '../../core/inbox.js';
import type { ToolInput } from '../runs/gate-input.js';
import { completeCommand, helpLines, readCommand } from './commands.js';
import { editedAnswer, editText, type PlanLine } from './gate-edit.js';
import type { Key } from './keys.js';
import type { Line } from './line-editor.js';
import { EMPTY_LINE, pressKey, sent, withText } from './line-editor.js';

/** What the line at hand is for. */
export type Stage =
  | { kind: 'compose' }
  /** Ctrl-C was pressed: stop, detach, or go on. */
  | { kind: 'leave' }
  /** The line is the reason for a refusal. */
  | { kind: 'reason'; gateId: string }
  /** The line is the arguments or the tasks, as JSON. */
  | { kind: 'edit'; gateId: string };

export interface Talk {
  line: Line;
  stage: Stage;
  /** Open gates, oldest first; the first is asked. */
  gates: Gate[];
  /** Tasks that have not begun, for editing a plan. */
  tasks: PlanLine[];
  /** All arguments of the calls that gates are about, by gate, as far as they are known. */
  inputs: Record<string, ToolInput>;
  /** When the first gate was first shown, milliseconds: keys typed before a person could read it don't count. */
  gateSince: number;
  /** The goal is answered, and the run is open for the next. */
  idle: boolean;
  /** Esc has cut off what ran: the run waits for what is said next. */
  held: boolean;
}

export type Effect =
  | { do: 'steer'; text: string; when: SteerTime }
  | { do: 'follow-up'; text: string }
  | { do: 'answer'; gate: Gate; input: Record<string, unknown> }
  /** The last message that waits comes back into the line. */
  | { do: 'take-back' }
  /** All that the first gate is about, however long. */
  | { do: 'view'; gate: Gate }
  /** Cuts off what runs, and holds the run for what is said next. */
  | { do: 'hold' }
  | { do: 'pause' | 'resume' | 'stop' }
  | { do: 'status' | 'detach' | 'finish' }
  /** Lines for the person, not for the run. */
  | { do: 'say'; lines: string[] };

export interface Step {
  talk: Talk;
  effects: Effect[];
}

export const NEW_TALK: Talk = {
  line: EMPTY_LINE,
  stage: { kind: 'compose' },
  gates: [],
  tasks: [],
  inputs: {},
  gateSince: 0,
  idle: false,
  held: false,
};

/** Time in which a key can not yet be meant for a gate that has just come up. */
const READING_MS = 400;

/** Takes the gates that are open now. A line that was begun for one that has closed is a message again. */
export function withGates(talk: Talk, gates: Gate[], tasks: PlanLine[], now: number): Talk {
  const [first] = gates;
  const same = first?.gateId === talk.gates[0]?.gateId;
  const { stage } = talk;
  const lost = 'gateId' in stage && stage.gateId !== first?.gateId;
  return {
    ...talk,
    gates,
    tasks,
    inputs: Object.fromEntries(
      Object.entries(talk.inputs).filter(([id]) => gates.some(gate => gate.gateId === id)),
    ),
    gateSince: same ? talk.gateSince : now,
    stage: lost ? { kind: 'compose' } : stage,
    line: lost ? withText(talk.line, '') : talk.line,
  };
}

/** One key. */
export function onKey(talk: Talk, key: Key, now: number): Step {
  if (talk.stage.kind === 'leave') return leaveKey(talk, key);
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
    case 'complete':
      return { talk: { ...next, line: withText(line, completeCommand(line.text)) }, effects: [] };
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

/** y, n, a, e and v work at once, on an empty line, when a person has had time to see what is asked. */
function quickAnswer(talk: Talk, { name = '', ctrl = false, meta = false }: Key, now: number): Step | null {
  const [gate] = talk.gates;
  const yesOrNo = gate && (gate.kind === 'approval' || gate.kind === 'plan' || gate.kind === 'route');
  if (!yesOrNo || ctrl || meta || talk.line.text !== '') return null;
  if (talk.stage.kind !== 'compose' || now - talk.gateSince < READING_MS) return null;
  return wordStep(talk, gate, name);
}

/** What one word does at a gate that takes yes or no; null where it is none of its words. */
function wordStep(talk: Talk, gate: Gate, word: string): Step | null {
  const { gateId } = gate;
  const fresh = withText(talk.line, '');
  if (word === 'y' || (word === 'a' && gate.kind === 'approval')) {
    const read = answerFromWords(gate, word);
    return 'input' in read ? answered({ ...talk, line: fresh }, gate, read.input) : null;
  }
  if (word === 'v') return { talk: { ...talk, line: fresh }, effects: [{ do: 'view', gate }] };
  if (word === 'n') return { talk: { ...talk, line: fresh, stage: { kind: 'reason', gateId } }, effects: [] };
  if (word !== 'e' || gate.kind === 'route') return null;
  const text = editText(gate, talk.tasks, talk.inputs[gateId]);
  return { talk: { ...talk, line: withText(fresh, text), stage: { kind: 'edit', gateId } }, effects: [] };
}

function answered(talk: Talk, gate: Gate, input: Record<string, unknown>): Step {
  return {
    talk: { ...talk, line: sent(talk.line), stage: { kind: 'compose' } },
    effects: [{ do: 'answer', gate, input: { gateId: gate.gateId, ...input } }],
  };
}

function submit(talk: Talk): Step {
  const { line, stage, gates, idle } = talk;
  const [gate] = gates;
  if (gate && stage.kind === 'reason') return refuse(talk, gate);
  if (gate && stage.kind === 'edit') return edit(talk, gate);
  const command = readCommand(line.text);
  const isAnswer = gate?.kind === 'question' && command !== null && 'unknown' in command;
  if (command !== null && !isAnswer) return runCommand(talk, command);
  const text = line.text.trim();
  if (text === '') return talk.held ? said(talk) : { talk, effects: [] };
  if (gate) return answerGate(talk, gate, text);
  const effect: Effect = idle ? { do: 'follow-up', text } : { do: 'steer', text, when: 'skip' };
  return said({ ...talk, line: sent(line) }, effect);
}

/** What is said to a run that Esc holds lets it go on, in this order. */
function said(talk: Talk, ...effects: Effect[]): Step {
  return talk.held
    ? { talk: { ...talk, held: false }, effects: [...effects, { do: 'resume' }] }
    : { talk, effects };
}

function answerGate(talk: Talk, gate: Gate, text: string): Step {
  const single = text.length === 1 && gate.kind !== 'question' ? wordStep(talk, gate, text) : null;
  if (single) return single;
  const read = answerFromWords(gate, text);
  if ('input' in read) return answered(talk, gate, read.input);
  return { talk, effects: [say(read.error, 'To say something to the run instead: /steer TEXT')] };
}

function refuse(talk: Talk, gate: Gate): Step {
  const reason = talk.line.text.trim();
  if (reason === '' && gate.kind === 'plan') {
    return { talk, effects: [say('Say what the plan should change: the planner reads it. Esc goes back.')] };
  }
  const read = answerFromWords(gate, `n ${reason}`);
  return 'input' in read ? answered(talk, gate, read.input) : { talk, effects: [say(read.error)] };
}

function edit(talk: Talk, gate: Gate): Step {
  // Whoever types e and Enter in one go has not seen what there is to edit.
  if (talk.line.text === editText(gate, talk.tasks, talk.inputs[gate.gateId])) {
    return {
      talk,
      effects: [say('Nothing is changed yet. Edit it and press Enter; or Esc, then y approves it.')],
    };
  }
  const read = editedAnswer(gate, talk.line.text);
  return 'input' in read ? answered(talk, gate, read.input) : { talk, effects: [say(read.error)] };
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

/** The text of a message that was taken back, to be edited; a line begun meanwhile stays after it. */
export function takenBack(talk: Talk, text: string): Talk {
  const begun = talk.line.text;
  return { ...talk, line: withText(talk.line, begun === '' ? text : `${text} ${begun}`) };
}

function runCommand(talk: Talk, command: NonNullable<ReturnType<typeof readCommand>>): Step {
  if ('unknown' in command) {
    return { talk, effects: [say(`There is no command ${command.unknown}. /help lists them.`)] };
  }
  if ('missing' in command) return { talk, effects: [say(`Its text is missing: ${command.missing}`)] };
  const effect = effectOf(command, talk);
  const next = { ...talk, line: sent(talk.line) };
  if (effect.do === 'resume') return { talk: { ...next, held: false }, effects: [effect] };
  return effect.do === 'steer' ? said(next, effect) : { talk: next, effects: [effect] };
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
    case 'follow':
      return { do: 'follow-up', text };
    case 'steer':
      return idle ? { do: 'follow-up', text } : { do: 'steer', text, when: 'skip' };
    case 'interrupt':
      return idle ? { do: 'follow-up', text } : { do: 'steer', text, when: 'interrupt' };
    default:
      return { do: 'say', lines: helpLines() };
  }
}

function say(...lines: string[]): Effect {
  return { do: 'say', lines };
}
