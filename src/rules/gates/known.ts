/**
 * Further knowledge of a run about one of its gates. It is a separate file, because pages need nothing else of the
 * run's rules. Pure.
 */

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
