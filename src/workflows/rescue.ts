/** Gates where a goal could not go on (DESIGN.md, "Failures", "Limits and budgets"): only where a person can be asked. */
import type { CallFailure } from '../core/failure.js';
import type { BudgetKind } from '../core/limits.js';
import type { PinnedRole } from '../core/role.js';
import { budgetUse } from '../core/run-state.js';
import { ask } from './gates.js';
import type { Run } from './run.js';
import { setLimits } from './set-limits.js';

/** Asks what to do about a model that failed for good. True: try again, perhaps with another model. */
export async function rescueFailure(run: Run, role: PinnedRole, failure: CallFailure): Promise<boolean> {
  const { state, pinned } = run;
  if (!state.settings.attended || state.stop) return false;
  const chain = role.models.length > 0 ? role.models : pinned.models;
  const model = chain[state.modelIndex[role.name] ?? 0] ?? '';
  const models = Object.keys(pinned.modelInfo).filter(other => other !== model);
  const asked = await ask(run, {
    key: `failure:${role.name}:${state.goal.counters.turns}`,
    kind: 'failure',
    title: `${model} failed. How to go on?`,
    body: failure.message,
    subject: { model, models },
  });
  // The loop ends a run that is being stopped.
  if (asked.kind === 'stopped') return true;
  if (asked.kind !== 'answered' || asked.answer.decision === 'stop') return false;
  if (asked.answer.decision === 'other_model') {
    role.models = [asked.answer.model];
    state.modelIndex[role.name] = 0;
    run.journal('provider_switch', { role: role.name, fromModel: model, toModel: asked.answer.model });
  }
  return true;
}

/** Asks for more of each budget that is used up. False where one is not raised: the goal is wrapped up. */
export async function raiseBudgets(run: Run, budgets: readonly BudgetKind[]): Promise<boolean> {
  const { state, pinned } = run;
  if (pinned.onBudget !== 'ask' || !state.settings.attended) return false;
  for (const budget of budgets) {
    const limit = pinned.limits[budget] ?? 0;
    const used = budgetUse(state, run.ports.now())[budget] ?? 0;
    const raised = () => (pinned.limits[budget] ?? Number.POSITIVE_INFINITY) > limit;
    const asked = await ask(run, {
      key: `budget:${budget}:${limit}`,
      kind: 'budget',
      title: `The goal's limit of ${budget} is used up: ${used} of ${limit}.`,
      body: 'Raise it to go on, or wrap up with what there is.',
      subject: { budget, limit, used },
      // By `setBudget`, without an answer to the gate.
      superseded: raised,
    });
    if (asked.kind === 'superseded') continue;
    if (asked.kind !== 'answered' || asked.answer.decision !== 'raise') return false;
    setLimits(run, { [budget]: asked.answer.to }, 'gate');
  }
  return true;
}
