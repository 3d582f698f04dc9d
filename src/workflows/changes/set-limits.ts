/** The one way in which the limits of a run in flight change: see `Enlarger` for who may. */

import { leasesAfter, withOthers } from '../../run/limits/leases.js';
import { type Enlarger, isBudget, type Limits, underCeilings } from '../../run/limits/limits.js';
import { budgetUse } from '../../run/state/run-state.js';
import { tellAgents } from '../agents/tell-agents.js';
import { limitsToShare } from '../beside/moments.js';
import { modelCalls } from '../run/memory.js';
import type { Run } from '../run/run.js';

/** They count from the next check on, also in the agents at work, which are told. Gives the ids of those. */
export function setLimits(run: Run, limits: Partial<Limits>, by: Enlarger): string[] {
  const { state } = run;
  const from = limitsToShare(run);
  state.limits = { ...state.limits, ...underCeilings(limits, state.pinned?.ceilings ?? {}) };
  state.goal.warned = state.goal.warned.filter(budget => !(budget in limits));
  run.journal('budget_set', { limits, by });
  const others = Object.entries(run.limits).filter(([name]) => name in limits && !isBudget(name));
  return shareAnew(run, { from, others: Object.fromEntries(others) });
}

/**
 * Agents at work never have more than the goal has left, each its share of it: what is new to one it is told.
 * `from`: the limits before, where they have changed; `others`: those of them that are no budgets, the same for all.
 */
export function shareAnew(
  run: Run,
  { from = limitsToShare(run), others = {} }: { from?: Limits; others?: Partial<Limits> } = {},
): string[] {
  const { state, ports, memory } = run;
  const { leases } = memory.agents;
  if (leases.size === 0) return [];
  const used = withOthers(budgetUse(state, ports.now()), { leases: [], modelCalls: modelCalls(memory) });
  const changed = leasesAfter(leases, { from, to: limitsToShare(run), used });
  for (const [id, news] of changed) leases.set(id, { ...leases.get(id), ...news });
  return tellAgents(run, id => {
    const limits = { ...others, ...changed.get(id) };
    return Object.keys(limits).length === 0 ? null : { signal: 'caller', input: { type: 'limits', limits } };
  });
}
