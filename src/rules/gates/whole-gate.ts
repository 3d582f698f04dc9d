/** What a gate asks about, all of it: its own text holds the beginning of large arguments and plans. Pure. */

import { isCutText } from '../../base/text/fit.js';
import { visibleText } from '../../base/text/unseen.js';
import type { Gate } from '../../run/gates/gate.js';
import { isOpen, type PlannedTask, type Task } from '../../run/plan/plan.js';
import { inRunOrder } from '../plan/plan-order.js';
import { type GatePart, gateParts, partsOf, type ShownGate } from './gate-parts.js';
import { argumentsText, idShower, shownLine } from './gate-text.js';

type Input = Record<string, unknown>;

/** What else is known of the gate: all arguments of its call; the tasks of its plan that are still to be done. */
export interface Known {
  input: Input | null;
  tasks?: readonly PlannedTask[];
}

/** What a run tells of one of its gates. The tasks of a sub-agent are those of another run. */
export function knownOf(
  { id, from }: Pick<Gate, 'id' | 'from'>,
  { inputs, tasks }: { inputs: Readonly<Record<string, Input>>; tasks: readonly Task[] },
): Known {
  return { input: inputs[id] ?? null, ...(from === undefined && { tasks: tasks.filter(isOpen) }) };
}

/** Lines of what the gate's own text lacks, below a line that says so; none where it has all. */
export function hiddenLines(gate: ShownGate, { input, tasks = [] }: Known): string[] {
  if (gate.kind === 'plan') return hiddenTasks(gate, tasks);
  if (input === null) return [];
  const json = argumentsText(input);
  const isShown = gateParts(gate).some(part => part.kind === 'code' && part.text === json);
  return isShown ? [] : ['All of its arguments:', ...json.split('\n')];
}

function hiddenTasks({ body }: ShownGate, tasks: readonly PlannedTask[]): string[] {
  const isHidden = ({ description, completionCriteria }: PlannedTask) =>
    !body.includes(shownLine(description)) || !body.includes(shownLine(completionCriteria ?? ''));
  // The words of one task may stand within another.
  if (!isCutText(body) && !tasks.some(isHidden)) return [];
  if (tasks.length === 0) return [];
  const idShown = idShower(tasks.map(({ id }) => id));
  return [
    'All of its tasks:',
    ...inRunOrder(tasks).flatMap(({ id, description, completionCriteria }) => [
      `- ${visibleText(idShown(id))}: ${shownLine(description)}`,
      ...(completionCriteria ? [`  done when: ${shownLine(completionCriteria)}`] : []),
    ]),
  ];
}

/** The gate's parts with all arguments in place of those that it has only in part, and with all tasks. */
export function wholeParts(gate: Gate, known: Known): GatePart[] {
  const parts = partsOf(gate);
  const hidden = hiddenLines(gate, known);
  if (hidden.length === 0) return parts;
  const json = gate.kind === 'plan' ? null : argumentsText(known.input);
  const at = parts.findIndex(
    part =>
      part.kind === 'code' &&
      part.language === 'json' &&
      json?.startsWith(part.text.slice(0, part.text.lastIndexOf('\n'))) === true,
  );
  if (json === null || at < 0) return [...parts, { kind: 'text', text: hidden.join('\n') }];
  // Behind what is cut a line says so.
  const rest = parts.slice(at + 1);
  const [note] = rest;
  const others = note?.kind === 'text' ? withoutFirstLine(note.text) : [];
  return [
    ...parts.slice(0, at),
    { kind: 'code', language: 'json', text: json },
    ...others,
    ...rest.slice(note?.kind === 'text' ? 1 : 0),
  ];
}

function withoutFirstLine(text: string): GatePart[] {
  const [, ...lines] = text.split('\n');
  const left = lines.join('\n').trim();
  return left === '' ? [] : [{ kind: 'text', text: left }];
}

/** The arguments as the gate's own text has them, where it has them whole. */
export function shownArguments(gate: ShownGate): string | null {
  const json = gateParts(gate).find(part => part.kind === 'code' && part.language === 'json');
  return json?.kind === 'code' ? json.text : null;
}
