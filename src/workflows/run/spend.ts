/** Accounts for the cost of model calls, in every role. */

import { withOthers } from '../../run/limits/leases.js';
import type { BudgetUse } from '../../run/limits/limits.js';
import { withCalls } from '../../run/limits/usage-by.js';
import { addUsage, type Usage } from '../../run/messages/message.js';
import { accountOf, budgetUse } from '../../run/state/run-state.js';
import { modelCalls } from './memory.js';
import type { Run } from './run.js';

/** Adds a call's usage to the run, and to the goal (between two goals: to the interrupt that made the call). */
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
  state.total.usageBy = withCalls(state.total.usageBy, {
    role: call.role,
    model: call.model,
    calls: 1,
    ...usage,
  });
  state.total.turns += counted.turns ?? 0;
}

/** Returns the use, including the reservations of parallel calls, and how many new calls share the remaining budget. */
export function sharedUse(run: Run): { used: BudgetUse; together: number } {
  // Agents with a lease have their share already.
  return {
    used: usedWithOthers(run),
    together: Math.max(1, run.line.sharers - run.memory.agents.leases.size),
  };
}

/** Returns the use, including what parallel calls may still use. */
export function usedWithOthers({ state, ports, memory }: Run): BudgetUse {
  const others = { leases: memory.agents.leases.values(), modelCalls: modelCalls(memory) };
  return withOthers(budgetUse(state, ports.now()), others);
}
