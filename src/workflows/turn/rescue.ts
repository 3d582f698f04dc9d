/** Gates for goals that cannot continue. They open only in runs that a person attends. */

import { fill } from '../../base/words/words.js';
import { modelOf, needsPrices } from '../../rules/limits/in-force.js';
import type { PinnedRole } from '../../run/agents/role.js';
import { modelsInUse } from '../../run/agents/run-config.js';
import type { CallFailure } from '../../run/limits/failure.js';
import type { BudgetKind } from '../../run/limits/limits.js';
import { here, taskAt } from '../../run/state/cursor.js';
import { budgetUse, isCounted } from '../../run/state/run-state.js';
import { setLimits } from '../changes/set-limits.js';
import { setModel } from '../changes/set-model.js';
import { ask } from '../run/gates.js';
import type { Run } from '../run/run.js';

/** Asks about a model that failed. `stop`: a person ends the work; `nobody`: no person was asked, or the gate timed out. */
export async function rescueFailure(
  run: Run,
  role: PinnedRole,
  failure: CallFailure,
): Promise<'again' | 'stop' | 'nobody'> {
  const { state, pinned } = run;
  if (state.people.stop) return 'stop';
  const at = here(run.cursor);
  // In the wrap-up, one question about the failure is enough: an answer can be made of the results without the model.
  const isLastRung = at.phase === 'wrap_up' && at.failure !== null;
  if (!state.settings.attended || isLastRung) return 'nobody';
  const model = modelOf(state, role);
  // A model without a price cannot be held to a cost limit.
  const allowed = (other: string) => !needsPrices(run.state) || pinned.modelInfo[other]?.costKnown === true;
  const models = modelsInUse(pinned).filter(other => other !== model && allowed(other));
  const asked = await ask(run, {
    key: `failure:${role.name}:${taskAt(run.cursor) ?? ''}`,
    kind: 'failure',
    title: fill(run.words.gateModelFailed, { model }),
    body: failure.message,
    subject: { model, models },
    // `setModel` changed the model while the gate was open.
    superseded: failed => modelOf(state, role) !== failed.model,
  });
  // The loop ends a run that is being stopped.
  if (asked.kind !== 'answered') return 'again';
  if (asked.answer.decision === 'stop') return asked.by === 'person' ? 'stop' : 'nobody';
  if (asked.answer.decision === 'other_model')
    setModel(run, role, asked.answer.model, `chosen at a gate, where ${model} had failed`);
  return 'again';
}

/** Returns the budget whose gate is open. It is settled before later messages are read, also after continue-as-new. */
export function budgetAsked({ state, cursor }: Run): BudgetKind | null {
  if (!isCounted(state) || here(cursor).phase === 'steering') return null;
  const [asked] = state.people.gates.flatMap(({ gate, agent }) =>
    gate.kind === 'budget' && !agent ? [gate.subject.budget] : [],
  );
  return asked ?? null;
}

/** Asks for more of a used-up budget. False: not raised, so the goal wraps up. */
export async function raiseBudget(run: Run, budget: BudgetKind): Promise<boolean> {
  const { state, pinned, words } = run;
  if (pinned.onBudget !== 'ask' || !state.settings.attended) return false;
  // A sub-agent's budget is part of its caller's goal, whose person is asked there.
  if (state.settings.calledAs !== undefined) return false;
  const limit = run.limits[budget] ?? 0;
  const used = budgetUse(state, run.ports.now())[budget] ?? 0;
  const unknown = budget === 'costUsd' && state.goal.usage.costUsd === null;
  // A worker with a cost ceiling does not allow a run without a limit.
  if (unknown && typeof pinned.ceilings.costUsd === 'number') return false;
  const asked = await ask(run, {
    key: `budget:${budget}`,
    kind: 'budget',
    title: unknown
      ? fill(words.gateUnknownCost, { limit: `$${limit}` })
      : fill(words.gateBudget, { budget, used, limit }),
    body: unknown ? words.gateUnknownCostHow : words.gateBudgetHow,
    subject: { budget, limit, used },
    // `setBudget` raised the limit while the gate was open.
    superseded: asked => (run.limits[budget] ?? Number.POSITIVE_INFINITY) > asked.limit,
  });
  if (asked.kind === 'superseded') return true;
  if (asked.kind !== 'answered' || asked.answer.decision !== 'raise') return false;
  setLimits(run, { [budget]: unknown ? null : asked.answer.to }, 'gate');
  return true;
}
