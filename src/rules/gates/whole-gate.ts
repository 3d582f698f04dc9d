/** The complete subject of a gate: its own text has only the beginning of large arguments and plans. Pure. */

import { isCutText } from '../../base/text/fit.js';
import { visibleText } from '../../base/text/unseen.js';
import type { Gate } from '../../run/gates/gate.js';
import type { PlannedTask } from '../../run/plan/plan.js';
import { inRunOrder } from '../plan/plan-order.js';
import { type GatePart, gateParts, partsOf, type ShownGate } from './gate-parts.js';
import { argumentsText, idShower, shownLine, shownTask } from './gate-text.js';
import type { Known } from './known.js';

/** Returns the lines missing in the gate's own text, after a line that says so; empty if it is complete. */
export function hiddenLines(gate: ShownGate, { input, tasks = [] }: Known): string[] {
  if (gate.kind === 'plan') return hiddenTasks(gate, tasks);
  if (input === null) return [];
  const json = argumentsText(input);
  const isShown = gateParts(gate).some(part => part.kind === 'code' && part.text === json);
  return isShown ? [] : ['All of its arguments:', ...json.split('\n')];
}

function hiddenTasks({ body }: ShownGate, tasks: readonly PlannedTask[]): string[] {
  const isHidden = (task: PlannedTask) =>
    !body.includes(shownTask(task)) || !body.includes(shownLine(task.completionCriteria ?? ''));
  // The words of one task may occur within another.
  if (!isCutText(body) && !tasks.some(isHidden)) return [];
  if (tasks.length === 0) return [];
  const idShown = idShower(tasks.map(({ id }) => id));
  return [
    'All of its tasks:',
    ...inRunOrder(tasks).flatMap(task => [
      `- ${visibleText(idShown(task.id))}: ${shownTask(task)}`,
      ...(task.completionCriteria ? [`  done when: ${shownLine(task.completionCriteria)}`] : []),
    ]),
  ];
}

/** Returns the gate's parts with complete arguments instead of cut ones, and with all tasks. */
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
  // A note follows the cut part.
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

/** Returns the arguments from the gate's own text, if they are complete there. */
export function shownArguments(gate: ShownGate): string | null {
  const json = gateParts(gate).find(part => part.kind === 'code' && part.language === 'json');
  return json?.kind === 'code' ? json.text : null;
}
