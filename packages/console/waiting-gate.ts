/** Adds to a gate what its own text lacks. Used by the server and the page. Pure. */

import type { WaitingGate } from '@steersman/view';
import type { Gate, RunSnapshot } from 'steersman/client';
import { knownOf } from 'steersman/rules';

type Known = Pick<RunSnapshot, 'id' | 'goal' | 'workspace' | 'inputs' | 'tasks'>;

/** Plans have all their tasks. */
export function waitingGate(state: Known, gate: Gate): WaitingGate {
  const { input, tasks = [] } = knownOf(gate, state);
  const { id: run, goal, workspace } = state;
  return { run, goal, workspace, gate, input, ...(gate.kind === 'plan' && { tasks: [...tasks] }) };
}
