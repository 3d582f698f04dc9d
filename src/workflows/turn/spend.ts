/** What calls of models cost, whoever asked for them. */

import { addUsage, type Usage } from '../../core/message.js';
import { accountOf } from '../../core/run-state.js';
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
