/** Search attributes for filtering runs, all of type Keyword. A run sets those that its namespace has. */

import { behavesAs } from '../../run/agents/run-config.js';
import type { RunState } from '../../run/state/run-state.js';
import { isSubagent } from '../agents/subagent.js';
import { gateLine } from '../gates/gate-text.js';
import { phaseOf, unansweredGates } from './status.js';

export const SEARCH_ATTRIBUTES = ['AgentMode', 'AgentPhase', 'AgentWaiting', 'AgentOutcome'] as const;

export type SearchAttribute = (typeof SEARCH_ATTRIBUTES)[number];

/** Returns a run's present values; null unsets one, so that `AgentWaiting IS NOT NULL` finds runs that wait for a person. */
export function searchAttributesOf(state: RunState): Record<SearchAttribute, string | null> {
  const [gate] = unansweredGates(state);
  return {
    AgentMode: state.goal.mode,
    AgentPhase: phaseOf(state),
    // A sub-agent's question is also its caller's, up to the run that a person started.
    AgentWaiting: gate && !isSubagent(state.settings) ? gateLine(gate) : null,
    AgentOutcome: state.end?.outcome ?? lastOutcome(state) ?? 'open',
  };
}

/** Returns how the last goal of a run that is open for a follow-up ended; null for another run. */
function lastOutcome({ pinned, idleSince, goal, goals }: RunState) {
  if (idleSince === null || !behavesAs(pinned, 5)) return null;
  return goals.find(({ number }) => number === goal.number)?.outcome ?? null;
}
