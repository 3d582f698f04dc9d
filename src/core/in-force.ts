/** What is in force of a run's limits and models: both may change while it runs, what it pins never does. */
import { ownValue } from './json.js';
import type { Limits } from './limits.js';
import { DEFAULT_LIMITS } from './limits.js';
import type { PinnedRole } from './role.js';
import type { RunState } from './run-state.js';

export function limitsOf({ pinned, limits }: Pick<RunState, 'pinned' | 'limits'>): Limits {
  return { ...(pinned?.limits ?? DEFAULT_LIMITS), ...limits };
}

type Role = Pick<PinnedRole, 'name' | 'models'>;

/** The chain of models that a role has of its own; empty where it has that of the run. */
export function ownChainOf({ models }: Pick<RunState, 'models'>, role: Role): readonly string[] {
  return ownValue(models.chains, role.name) ?? role.models;
}

/** The chain of models that a role is called with. */
export function chainOf(state: Pick<RunState, 'models' | 'pinned'>, role: Role): readonly string[] {
  const own = ownChainOf(state, role);
  return own.length > 0 ? own : (state.pinned?.models ?? []);
}

/** The model of its chain that a role is at, and the one after it. */
export function modelOf(
  state: Pick<RunState, 'models' | 'pinned'>,
  role: Role,
): { model: string; next: string | undefined } {
  const chain = chainOf(state, role);
  const index = ownValue(state.models.index, role.name) ?? 0;
  const model = chain[index] ?? chain[0];
  if (model === undefined) throw new Error(`role ${role.name} has no model`);
  return { model, next: chain[index + 1] };
}
