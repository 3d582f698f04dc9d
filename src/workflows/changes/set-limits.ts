/** Changes the limits of a run in flight; all changes go through here. See `Enlarger` for who may make them. */

import { leasesAfter, withOthers } from '../../run/limits/leases.js';
import { type Enlarger, isBudget, type Limits, underCeilings } from '../../run/limits/limits.js';
import { budgetUse } from '../../run/state/run-state.js';
import { limitsToShare } from '../beside/moments.js';
import { modelCalls } from '../run/memory.js';
import type { Run } from '../run/run.js';
import { tellAgents } from '../run/tell-agents.js';

/** Sets limits from the next check on, also in running agents, which are notified. Returns the ids of those. */
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
 * Shares the goal's remaining budgets anew among running agents, and notifies those whose share changed. `from`: the limits
 * before a change; `others`: changed limits that are not budgets, the same for all.
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
