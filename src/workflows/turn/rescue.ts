/** Gates where a goal could not go on: only where a person can be asked. */

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

/** Asks about a model that failed for good. `stop`: a person ends the work; `nobody`: none was there, or answered. */
export async function rescueFailure(
  run: Run,
  role: PinnedRole,
  failure: CallFailure,
): Promise<'again' | 'stop' | 'nobody'> {
  const { state, pinned } = run;
  if (state.people.stop) return 'stop';
  const at = here(run.cursor);
  // One question about one failure: what there is can be told without that answer, too.
  const isLastRung = at.phase === 'wrap_up' && at.failure !== null;
  if (!state.settings.attended || isLastRung) return 'nobody';
  const model = modelOf(state, role);
  // Without a price nobody could hold the goal to a limit of cost.
  const allowed = (other: string) => !needsPrices(run.state) || pinned.modelInfo[other]?.costKnown === true;
  const models = modelsInUse(pinned).filter(other => other !== model && allowed(other));
  const asked = await ask(run, {
    key: `failure:${role.name}:${taskAt(run.cursor) ?? ''}`,
    kind: 'failure',
    title: fill(run.words.gateModelFailed, { model }),
    body: failure.message,
    subject: { model, models },
    // By `setModel`, without an answer to the gate.
    superseded: failed => modelOf(state, role) !== failed.model,
  });
  // The loop ends a run that is being stopped.
  if (asked.kind !== 'answered') return 'again';
  if (asked.answer.decision === 'stop') return asked.by === 'person' ? 'stop' : 'nobody';
  if (asked.answer.decision === 'other_model')
    setModel(run, role, asked.answer.model, `chosen at a gate, where ${model} had failed`);
  return 'again';
}

/** The budget whose gate is open already. It is settled before later messages are read, as without a handover. */
export function budgetAsked({ state, cursor }: Run): BudgetKind | null {
  if (!isCounted(state) || here(cursor).phase === 'steering') return null;
  const [asked] = state.people.gates.flatMap(({ gate, agent }) =>
    gate.kind === 'budget' && !agent ? [gate.subject.budget] : [],
  );
  return asked ?? null;
}

/** Asks for more of a used-up budget. False: not raised, so the goal is wrapped up. */
export async function raiseBudget(run: Run, budget: BudgetKind): Promise<boolean> {
  const { state, pinned, words } = run;
  if (pinned.onBudget !== 'ask' || !state.settings.attended) return false;
  // What it may use is of its caller's goal, whose person is asked there.
  if (state.settings.calledAs !== undefined) return false;
  const limit = run.limits[budget] ?? 0;
  const used = budgetUse(state, run.ports.now())[budget] ?? 0;
  const unknown = budget === 'costUsd' && state.goal.usage.costUsd === null;
  // Going on without a limit is more than a worker with a ceiling allows anybody.
  if (unknown && typeof pinned.ceilings.costUsd === 'number') return false;
  const asked = await ask(run, {
    key: `budget:${budget}`,
    kind: 'budget',
    title: unknown
      ? fill(words.gateUnknownCost, { limit: `$${limit}` })
      : fill(words.gateBudget, { budget, used, limit }),
    body: unknown ? words.gateUnknownCostHow : words.gateBudgetHow,
    subject: { budget, limit, used },
    // By `setBudget`, without an answer to the gate.
    superseded: asked => (run.limits[budget] ?? Number.POSITIVE_INFINITY) > asked.limit,
  });
  if (asked.kind === 'superseded') return true;
  if (asked.kind !== 'answered' || asked.answer.decision !== 'raise') return false;
  setLimits(run, { [budget]: unknown ? null : asked.answer.to }, 'gate');
  return true;
}
