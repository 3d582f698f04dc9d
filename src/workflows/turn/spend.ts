/** What calls of models cost, whoever asked for them. */

import type { BudgetUse } from '../../core/limits.js';
import { addUsage, type Usage } from '../../core/message.js';
import { accountOf, budgetUse } from '../../core/run-state.js';
import { withLeases } from '../../core/subagent.js';
import { withCall } from '../../core/usage-by.js';
import type { Run } from '../run.js';

/** Adds to what the goal, or whoever is at work between two goals, and the run have used. */
export function spend(
  run: Run,
  call: { role: string; model: string },
  usage: Usage,
  counted: { turns?: 1; failedCalls?: 1 } = {},
): void {
  const { state } = run;
  const account = accountOf(state);
  const { turns, failedCalls } = account.counters;
  account.usage = addUsage(account.usage, usage);
  account.counters = {
    ...account.counters,
    turns: turns + (counted.turns ?? 0),
    failedCalls: failedCalls + (counted.failedCalls ?? 0),
  };
  state.total.usage = addUsage(state.total.usage, usage);
  state.total.usageBy = withCall(state.total.usageBy, call, usage);
  state.total.turns += counted.turns ?? 0;
}

/** What is used, with what others at work may use yet, and among how many that begin now the rest is shared. */
export function sharedUse({ state, ports, part, sharers }: Run): { used: BudgetUse; together: number } {
  const leases = [...part.agents.leases.values(), ...part.samplings.values()];
  const used = withLeases(budgetUse(state, ports.now()), leases);
  // Those with a lease have their part.
  return { used, together: Math.max(1, sharers - leases.length) };
}
