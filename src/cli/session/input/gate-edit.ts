/** Editing what a gate asks for as YAML, in which texts of several lines are read as they are. Pure. */

import { parse, stringify } from 'yaml';
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
 * What there is to edit: a tool's arguments, or a plan's tasks. The gate's body has the arguments in full up to a size;
 * `input` is all of them, once they are known.
 */
export function editText(gate: Gate, tasks: readonly PlanLine[], input: ToolInput | undefined): string {
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
  const shown = (parse(text) as PlanLine[]).map(({ id }) => id);
  return { input: { ...read.input, shown } };
}
