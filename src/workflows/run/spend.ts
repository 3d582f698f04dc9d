/** What calls of models cost, whoever asked for them. */

import { withOthers } from '../../run/limits/leases.js';
import type { BudgetUse } from '../../run/limits/limits.js';
import { withCalls } from '../../run/limits/usage-by.js';
import { addUsage, type Usage } from '../../run/messages/message.js';
import { accountOf, budgetUse } from '../../run/state/run-state.js';
import { modelCalls } from './memory.js';
import type { Run } from './run.js';

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
  state.total.usageBy = withCalls(state.total.usageBy, {
    role: call.role,
    model: call.model,
    calls: 1,
    ...usage,
  });
  state.total.turns += counted.turns ?? 0;
}

/** What is used, with what others at work may use yet, and among how many that begin now the rest is shared. */
export function sharedUse(run: Run): { used: BudgetUse; together: number } {
  // Those with a lease have their part.
  return {
    used: usedWithOthers(run),
    together: Math.max(1, run.line.sharers - run.memory.agents.leases.size),
  };
}

/** What is used, with what others at work may use yet. */
export function usedWithOthers({ state, ports, memory }: Run): BudgetUse {
  const others = { leases: memory.agents.leases.values(), modelCalls: modelCalls(memory) };
  return withOthers(budgetUse(state, ports.now()), others);
}
