/** What the run of a sub-agent stands for. */
import { MOST_AGENT_DEPTH } from '../../src/run/agents/role.js';
import type { ChildStart } from '../../src/workflows/run/ports.js';
import { pinsOf } from './agent-roles.js';
import { NOBODY } from './people.js';
import { Random } from './random.js';
import type { Scenario } from './scenario.js';

/** Roles that are asked in any run. */
const BESIDE: readonly string[] = ['understanding', 'router', 'reviewer'];

/** Its run has a seed of its own, the same whatever became of others. It has no people: they are its caller's. */
export function agentScenario(caller: Scenario, { id, goal, settings }: ChildStart): Scenario {
  const { agents } = caller;
  // What proves the goal is its caller's.
  const { checks: _checks, ...pinned } = caller.pinned;
  // Whoever began first has the first number.
  const seed = new Random(caller.seed, 'agent', caller.byPlace ? goal : id).int(1, 2 ** 31);
  const role = agents[settings.role ?? ''];
  if (!role) throw new Error(`nobody is called ${settings.role}`);
  const others = Object.values(pinned.roles).filter(({ name }) => BESIDE.includes(name));
  const isDeepest = (settings.agentDepth ?? 0) >= MOST_AGENT_DEPTH;
  const servers = pinned.tools.filter(({ origin }) => origin.type !== 'client');
  const own = pinsOf(servers, [role, ...others], isDeepest ? [] : role.agents);
  return {
    ...caller,
    seed,
    goal,
    settings,
    pinned: { ...pinned, ...own, limits: { ...pinned.limits, ...settings.limits } },
    stop: null,
    cancel: null,
    people: caller.people === NOBODY ? NOBODY : { ...caller.people, acts: [] },
    toolAppetite: caller.busyAgents ? caller.toolAppetite : caller.toolAppetite / 2,
  };
}
