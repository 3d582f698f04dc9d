/** Editing what a gate asks for as one line of JSON. Pure. */

import type { ToolInput } from '../../../client/index.js';
import type { Gate } from '../../../core/gates/gate.js';
import type { GateWords } from '../../../core/gates/gate-words.js';
import { answerFromWords } from '../../../core/gates/gate-words.js';
import { errorText } from '../../../core/text/error-text.js';

/** A task as far as a person edits it. */
export interface PlanLine {
  id: string;
  description: string;
}

/**
 * What there is to edit, on one line: a tool's arguments, or a plan's tasks. The gate's body has the arguments
 * in full up to a size; `input` is all of them, once they are known.
 */
export function editText(gate: Gate, tasks: readonly PlanLine[], input: ToolInput | undefined): string {
  if (gate.kind === 'plan') return JSON.stringify(tasks.map(({ id, description }) => ({ id, description })));
  if (input !== undefined) return JSON.stringify(input);
  const block = /(`{3,})json\n([\s\S]*?)\n\1/.exec(gate.body)?.[2];
  try {
    return JSON.stringify(JSON.parse(block ?? '{}'));
  } catch {
    return '{}';
  }
}

/** The answer that the edited line gives, or what is wrong with its JSON. `text`: the line as it was shown. */
export function editedAnswer(gate: Gate, line: string, text: string): GateWords {
  try {
    JSON.parse(line);
  } catch (error) {
    const why = errorText(error);
    return { error: `This is not JSON: ${why}. Mend it, or Esc goes back.` };
  }
  const read = answerFromWords(gate, `e ${line}`);
  if (gate.kind !== 'plan' || 'error' in read) return read;
  // What somebody else adds meanwhile is not left out.
  const shown = (JSON.parse(text) as PlanLine[]).map(({ id }) => id);
  return { input: { ...read.input, shown } };
}
