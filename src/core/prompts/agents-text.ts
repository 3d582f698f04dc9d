/** The agents that a role may call, as it is told of them. */
import type { AgentCard, PinnedRole } from '../agents/role.js';
import { agentsInReach } from '../agents/subagent.js';
import type { RunState } from '../state/run-state.js';
import { preview } from '../text/preview.js';
import { wordsOf } from './words.js';

/** They vary from project to project: told with the instruction, not in what requests begin with. */
export function agentsText(state: RunState, role: Pick<PinnedRole, 'agents' | 'tools'>): string {
  const { pinned } = state;
  if (pinned === null || role.agents.length === 0) return '';
  const words = wordsOf(state);
  const agents = agentsInReach(pinned, role);
  return agents.length === 0 ? words.noAgents : `${words.agents}\n${agents.map(lineOf).join('\n')}`;
}

function lineOf({ name, description, capabilities = [] }: AgentCard): string {
  const has = capabilities.length === 0 ? '' : ` (${capabilities.join(', ')})`;
  return `- ${name}${has}: ${preview(description, 500)}`;
}
