/** How keys and lines answer a gate. Pure. */

import { parse, stringify } from 'yaml';
import type { Gate, ToolInput } from '../../../client/index.js';
import { answerFromWords, type GateWords, yesOrNoOf } from '../../../core/gates/gate-words.js';
import { errorText } from '../../../core/text/error-text.js';
import type { Key } from './keys.js';
import { sent, withText } from './line-editor.js';
import { type Effect, type Step, say, type Talk, type TaskLine } from './talk-state.js';

/** Time in which a key can not yet be meant for a gate that has just come up. */
const READING_MS = 400;

/** y, n, a, w, e and v work at once, on an empty line, when a person has had time to see what is asked. */
export function quickAnswer(
  talk: Talk,
  { name = '', ctrl = false, meta = false }: Key,
  now: number,
): Step | null {
  const [gate] = talk.gates;
  if (!gate || !takesYes(gate) || ctrl || meta || talk.line.text !== '') return null;
  if (talk.stage.kind !== 'compose' || now - talk.gateSince < READING_MS) return null;
  return wordStep(talk, gate, name);
}

/** What `--yes` would approve too. */
export function takesYes<G extends Pick<Gate, 'kind'>>(
  gate: G,
): gate is G & { kind: 'approval' | 'plan' | 'route' } {
  const { kind } = gate;
  return kind === 'approval' || kind === 'plan' || kind === 'route';
}

/** The answers to all that waits for a yes, after `/yes`. */
export function yesEffects({ gates, yes, stage }: Talk): Effect[] {
  // A gate that a person is answering in words is theirs.
  if (!yes || stage.kind !== 'compose') return [];
  return gates.filter(takesYes).map(gate => ({
    do: 'answer',
    gate,
    input: { gateId: gate.id, decision: 'approve' },
  }));
}

/** What one word does at a gate that takes yes or no; null where it is none of its words. */
function wordStep(talk: Talk, gate: Gate, word: string): Step | null {
  const { id: gateId } = gate;
  const fresh = withText(talk.line, '');
  if (word === 'y' || (['a', 'w'].includes(word) && gate.kind === 'approval')) {
    const read = answerFromWords(gate, word);
    return 'input' in read ? answered({ ...talk, line: fresh }, gate, read.input) : null;
  }
  if (word === 'v') return { talk: { ...talk, line: fresh }, effects: [{ do: 'view', gate }] };
  if (word === 'n') return { talk: { ...talk, line: fresh, stage: { kind: 'reason', gateId } }, effects: [] };
  if (word !== 'e' || gate.kind === 'route') return null;
  const text = editText(gate, talk.tasks, talk.inputs[gateId]);
  if (talk.editor) return { talk: { ...talk, line: fresh }, effects: [{ do: 'edit', gate, text }] };
  return { talk: inLine(talk, gate, text, text), effects: [] };
}

function inLine(talk: Talk, { id: gateId }: Gate, line: string, text: string): Talk {
  return { ...talk, line: withText(talk.line, line), stage: { kind: 'edit', gateId, text } };
}

/** What came of editing in a program; with a fault in it, it is in the line to be mended. */
export function editedElsewhere(talk: Talk, gate: Gate, text: string, edited: string): Step {
  if (talk.gates[0]?.id !== gate.id)
    return { talk, effects: [say('It does not wait for an answer any more.')] };
  if (edited.trim() === text.trim())
    return { talk, effects: [say('Nothing was changed: it waits as before.')] };
  return editGate(inLine(talk, gate, edited.replace(/\n$/, ''), text), gate, text);
}

function answered(talk: Talk, gate: Gate, input: Record<string, unknown>): Step {
  return {
    talk: { ...talk, line: sent(talk.line), stage: { kind: 'compose' } },
    effects: [{ do: 'answer', gate, input: { gateId: gate.id, ...input } }],
  };
}

export function answerGate(talk: Talk, gate: Gate, text: string): Step {
  const isWord = text.length === 1 && gate.kind !== 'question';
  const single = isWord ? wordStep(talk, gate, yesOrNoOf(text) ?? text) : null;
  if (single) return single;
  const read = answerFromWords(gate, text);
  if ('input' in read) return answered(talk, gate, read.input);
  return { talk, effects: [say(read.error, 'To say something to the run instead: /steer TEXT')] };
}

export function refuse(talk: Talk, gate: Gate): Step {
  const reason = talk.line.text.trim();
  if (reason === '' && gate.kind === 'plan') {
    return { talk, effects: [say('Say what the plan should change: the planner reads it. Esc goes back.')] };
  }
  const read = answerFromWords(gate, `n ${reason}`);
  return 'input' in read ? answered(talk, gate, read.input) : { talk, effects: [say(read.error)] };
}

export function editGate(talk: Talk, gate: Gate, text: string): Step {
  // Whoever types e and Enter in one go has not seen what there is to edit.
  if (talk.line.text === text) {
    return {
      talk,
      effects: [say('Nothing is changed yet. Edit it and press Enter; or Esc, then y approves it.')],
    };
  }
  const read = editedAnswer(gate, talk.line.text, text);
  return 'input' in read ? answered(talk, gate, read.input) : { talk, effects: [say(read.error)] };
}

// Editing what a gate asks for as YAML, in which texts of several lines are read as they are.

/**
 * What there is to edit: a tool's arguments, or a plan's tasks. The gate's body has the arguments in full up to a size;
 * `input` is all of them, once they are known.
 */
export function editText(gate: Gate, tasks: readonly TaskLine[], input: ToolInput | undefined): string {
  if (gate.kind === 'plan') return asYaml(tasks.map(({ id, description }) => ({ id, description })));
  if (input !== undefined) return asYaml(input);
  const block = /(`{3,})json\n([\s\S]*?)\n\1/.exec(gate.body)?.[2];
  try {
    return asYaml(JSON.parse(block ?? '{}'));
  } catch {
    return '{}';
  }
}

function asYaml(value: unknown): string {
  return stringify(value, { lineWidth: 0, aliasDuplicateObjects: false }).replace(/\n$/, '');
}

/** The answer that the edited text gives, or what is wrong with it. `text`: as it was shown. */
export function editedAnswer(gate: Gate, edited: string, text: string): GateWords {
  let value: unknown;
  try {
    value = parse(edited);
  } catch (error) {
    return { error: `This is not YAML: ${errorText(error).split('\n')[0]}. Mend it, or Esc goes back.` };
  }
  if (gate.kind === 'plan' && !Array.isArray(value))
    return { error: 'This is no list of tasks. Mend it, or Esc goes back.' };
  const read = answerFromWords(gate, `e ${JSON.stringify(value ?? null)}`);
  if (gate.kind !== 'plan' || 'error' in read) return read;
  // What somebody else adds meanwhile is not left out.
  const shown = (parse(text) as TaskLine[]).map(({ id }) => id);
  return { input: { ...read.input, shown } };
}
