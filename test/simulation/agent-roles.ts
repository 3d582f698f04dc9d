/** The sub-agents of a scenario, and who calls them. */
import { OWN_TOOLS } from '../../src/features/workers.js';
import type { PinnedRole } from '../../src/run/agents/role.js';
import type { PinnedRun } from '../../src/run/agents/run-config.js';
import type { ToolDefinition } from '../../src/run/tools/tool.js';
import { addWorkflowTools } from '../../src/run/tools/workflow-tools.js';
import { Random } from './random.js';

/** What a scenario says of agents. */
interface WithAgents {
  seed: number;
  pinned: PinnedRun;
  agents: Readonly<Record<string, PinnedRole>>;
  toolAppetite: number;
}

/** Roles that work for others: those that carry out tasks, and those that work on a goal alone. */
const CALLERS: readonly string[] = ['executor', 'artist', 'react', 'lead', 'auditor'];

/** `middle` calls agents of its own. */
const AGENTS = ['search', 'middle'];

/** Roles at work call agents. */
export function withAgents<S extends WithAgents>(plain: S): S {
  const random = new Random(plain.seed, 'agent roles');
  const pattern = Object.values(plain.pinned.roles)[0];
  if (!pattern) return plain;
  const agent = (name: string, more: Partial<PinnedRole>): PinnedRole => ({
    ...pattern,
    name,
    output: 'text',
    memory: 'private',
    prefix: 'own',
    dialect: 'component',
    maxRounds: random.pick([null, 1, 2]),
    models: [],
    prompt: `You are ${name}.`,
    ...more,
  });
  const agents = {
    search: agent('search', { tools: ['*', '*_artifact*'], agents: [] }),
    middle: agent('middle', {
      tools: ['re*', 'put', 'call_subagent'],
      agents: ['search'],
      memory: random.pick(['private', 'shared']),
    }),
  };
  const roles = Object.values(plain.pinned.roles).map(role =>
    CALLERS.includes(role.name) ? { ...role, tools: [...role.tools, 'call_subagent'], agents: AGENTS } : role,
  );
  const { tools, limits } = plain.pinned;
  // Most have the turns that agents need.
  const turns = random.chance(0.7) ? Math.max(limits.turns, 30) : limits.turns;
  const pinned = { ...plain.pinned, ...pinsOf(tools, roles, AGENTS), limits: { ...limits, turns } };
  return { ...plain, agents, pinned, toolAppetite: Math.max(plain.toolAppetite, 0.6) };
}

/** What a run with these roles and agents pins. */
export function pinsOf(
  tools: readonly ToolDefinition[],
  roles: readonly PinnedRole[],
  agents: readonly string[],
): Pick<PinnedRun, 'roles' | 'agents' | 'tools'> {
  const others = tools.filter(({ origin }) => origin.type !== 'workflow');
  return {
    roles: Object.fromEntries(roles.map(role => [role.name, role])),
    agents: agents.map(name => ({ name, description: '', requires: [] })),
    tools: addWorkflowTools(others, roles, OWN_TOOLS).tools,
  };
}

/** Whom people may write to. */
export function addresseesIn({
  pinned,
  agents,
}: {
  pinned: Pick<PinnedRun, 'roles'>;
  agents: WithAgents['agents'];
}): string[] {
  const ids = [
    'search',
    'middle',
    'search/1',
    'middle/1',
    'middle/2',
    'middle/1/search/1',
    'middle/1/search',
  ];
  return [...Object.keys(pinned.roles), ...(Object.keys(agents).length > 0 ? ids : [])];
}
