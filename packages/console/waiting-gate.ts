/** Adds to a gate what its own text lacks. Used by the server and the page. Pure. */

import type { WaitingGate } from '@steersman/view';
import type { Gate, RunSnapshot } from 'steersman/client';
import { hiddenLines, knownOf } from 'steersman/rules';

export function waitingGate(
  state: Pick<RunSnapshot, 'id' | 'goal' | 'inputs' | 'tasks'>,
  gate: Gate,
): WaitingGate {
  const { input, tasks = [] } = knownOf(gate, state);
  const isCut = gate.kind === 'plan' && hiddenLines(gate, { input, tasks }).length > 0;
  return { run: state.id, goal: state.goal, gate, input, ...(isCut && { tasks: [...tasks] }) };
}
