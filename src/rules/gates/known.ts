/** What a run knows of one of its gates besides the gate's own text. In a file of its own: pages need nothing else of it. Pure. */

import type { Gate } from '../../run/gates/gate.js';
import { isOpen, type PlannedTask, type Task } from '../../run/plan/plan.js';

type Input = Record<string, unknown>;

/** Further knowledge about the gate: all arguments of its call; the open tasks of its plan. */
export interface Known {
  input: Input | null;
  tasks?: readonly PlannedTask[];
}

/** Returns a run's knowledge of one of its gates. A sub-agent's tasks belong to another run. */
export function knownOf(
  { id, from }: Pick<Gate, 'id' | 'from'>,
  { inputs, tasks }: { inputs: Readonly<Record<string, Input>>; tasks: readonly Task[] },
): Known {
  return { input: inputs[id] ?? null, ...(from === undefined && { tasks: tasks.filter(isOpen) }) };
}
