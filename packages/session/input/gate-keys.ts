/** Interprets keys and lines as answers to a gate. Pure. */

import { errorText, escapeUnseen, isRecord } from 'steersman/base';
import type { Gate, ToolInput } from 'steersman/client';
import { type Chosen, type PersonInput, replyTo, shownArguments, yesOrNoOf } from 'steersman/rules';
import { Document, parse, visit } from 'yaml';
import type { Key } from './keys.js';
import { sent, withText } from './line-editor.js';
import { type Effect, type SessionState, type Step, say, type TaskLine } from './session-state.js';

/** A key within this time can't be meant for a gate that has just appeared. */
const READING_MS = 400;

/**
 * y, n, e and v work at once on an empty line, after a person had time to read the gate. Answers that allow more than
 * this call need Enter, because any word may begin with their letter.
 */
export function quickAnswer(
  session: SessionState,
  { name = '', ctrl = false, meta = false }: Key,
  now: number,
): Step | null {
  const [gate] = session.gates;
  if (!gate || !takesYes(gate) || ctrl || meta || session.line.text !== '') return null;
  if (session.stage.kind !== 'compose' || now - (session.gateSince ?? now) < READING_MS) return null;
  return LASTING.includes(name) ? null : wordStep(session, gate, name);
}

const LASTING = ['a', 'w'];

/** True for gates that `--yes` approves too. */
export function takesYes<G extends Pick<Gate, 'kind'>>(
  gate: G,
): gate is G & { kind: 'approval' | 'plan' | 'route' } {
  const { kind } = gate;
  return kind === 'approval' || kind === 'plan' || kind === 'route';
}

/** Returns approvals of all gates that take a yes, after `/yes`. */
export function yesEffects(session: SessionState): Effect[] {
  const { gates, yes, stage } = session;
  // A person is typing an answer to a gate: leave it to them.
  if (!yes || stage.kind !== 'compose') return [];
  return gates.filter(takesYes).flatMap(gate => replied(session, gate, { decision: 'approve' }).effects);
}

/** Applies a one-letter word to a gate that takes yes or no; null if the word has no meaning there. */
function wordStep(session: SessionState, gate: Gate, word: string): Step | null {
  const { id: gateId } = gate;
  const fresh = withText(session.line, '');
  if (word === 'y' || (LASTING.includes(word) && gate.kind === 'approval')) {
    return replied({ ...session, line: fresh }, gate, { line: word });
  }
  if (word === 'v') return { session: { ...session, line: fresh }, effects: [{ do: 'view', gate }] };
  if (word === 'n')
    return { session: { ...session, line: fresh, stage: { kind: 'reason', gateId } }, effects: [] };
  const isOfSeveral = gate.kind === 'approval' && gate.subject.calls !== undefined;
  if (word !== 'e' || gate.kind === 'route' || isOfSeveral) return null;
  const text = editText(gate, session.tasks, session.inputs[gateId]);
  if (session.editor) return { session: { ...session, line: fresh }, effects: [{ do: 'edit', gate, text }] };
  return { session: inLine(session, gate, text, text), effects: [] };
}

function inLine(session: SessionState, { id: gateId }: Gate, line: string, text: string): SessionState {
  return { ...session, line: withText(session.line, line), stage: { kind: 'edit', gateId, text } };
}

/** Applies the result of the editor. If it has a fault, the text is put into the line for correction. */
export function editedElsewhere(session: SessionState, gate: Gate, text: string, edited: string): Step {
  if (session.gates[0]?.id !== gate.id) {
    const yours = edited.trim() === text.trim() ? [] : ['What you had written:', ...edited.split('\n')];
    return { session, effects: [say('It no longer waits for this answer.', ...yours)] };
  }
  if (edited.trim() === text.trim())
    return { session, effects: [say('Nothing was changed: it waits as before.')] };
  return editGate(inLine(session, gate, edited.replace(/\n$/, ''), text), gate, text);
}

/** Sends the answer; or shows what is wrong with it, and what to do. */
function replied(session: SessionState, gate: Gate, given: PersonInput, ...advice: string[]): Step {
  const reply = replyTo(gate, given);
  if ('error' in reply) return { session, effects: [say(reply.error, ...advice)] };
  return {
    session: { ...session, line: sent(session.line), stage: { kind: 'compose' } },
    effects: [{ do: 'answer', gate, input: reply.input }],
  };
}

export function answerGate(session: SessionState, gate: Gate, text: string): Step {
  const isWord = text.length === 1 && takesYes(gate);
  const single = isWord ? wordStep(session, gate, yesOrNoOf(text) ?? text) : null;
  if (single) return single;
  return replied(session, gate, { line: text }, 'To say something to the run instead: /steer TEXT');
}

export function refuse(session: SessionState, gate: Gate): Step {
  return replied(session, gate, { decision: 'deny', reason: session.line.text }, 'Esc goes back.');
}

export function editGate(session: SessionState, gate: Gate, text: string): Step {
  // A person who typed e and Enter at once has not seen the text yet.
  if (session.line.text === text) {
    return {
      session,
      effects: [say('Nothing is changed yet. Edit it and press Enter; or Esc, then y approves it.')],
    };
  }
  const read = editedAnswer(gate, session.line.text, text);
  return 'error' in read ? { session, effects: [say(read.error)] } : replied(session, gate, read);
}

// The text to edit is YAML, in which multi-line texts stay readable.

/**
 * Returns the text to edit: a tool's arguments, or a plan's tasks. The gate's body has the full arguments up to a size;
 * `input` has all of them, once it is loaded.
 */
export function editText(gate: Gate, tasks: readonly TaskLine[], input: ToolInput | undefined): string {
  if (gate.kind === 'plan') return asYaml(tasks.map(({ id, description }) => ({ id, description })));
  if (input !== undefined) return asYaml(input);
  try {
    return asYaml(JSON.parse(shownArguments(gate) ?? '{}'));
  } catch {
    return '{}';
  }
}

/** Invisible characters, and an empty last line, are written as escapes in quotes, where YAML reads them. */
function asYaml(value: unknown): string {
  const document = new Document(value, { aliasDuplicateObjects: false });
  visit(document, {
    Scalar: (_key, node) => {
      const { value: text } = node;
      if (typeof text === 'string' && (escapeUnseen(text) !== text || /(?:^|\n)[ \t]*\n$/.test(text)))
        node.type = 'QUOTE_DOUBLE';
    },
  });
  return escapeUnseen(document.toString({ lineWidth: 0 })).replace(/\n$/, '');
}

/** Parses the edited text; or returns what is wrong with it. `text`: the text before editing. */
export function editedAnswer(gate: Gate, edited: string, text: string): Chosen | { error: string } {
  let value: unknown;
  try {
    value = parse(edited);
  } catch (error) {
    return {
      error: `This is not YAML: ${errorText(error).split('\n')[0]}. Correct it, or press Esc to go back.`,
    };
  }
  if (gate.kind === 'plan') {
    if (!Array.isArray(value))
      return { error: 'This is not a list of tasks. Correct it, or press Esc to go back.' };
    // Lists the tasks that were shown, so that tasks which others added meanwhile are not removed.
    const shown = (parse(text) as TaskLine[]).map(({ id }) => id);
    return { decision: 'edit', tasks: value, shown };
  }
  if (!isRecord(value))
    return { error: 'The arguments are not an object. Correct them, or press Esc to go back.' };
  return { decision: 'approve', arguments: value };
}
