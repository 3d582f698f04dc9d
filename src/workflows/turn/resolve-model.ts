/** Chooses the model of a role's next call, anew each time: by the table that the run pins. */
import { here } from '../../core/cursor.js';
import type { CallFailure } from '../../core/failure.js';
import { isSet, modelOf, nextModelOf } from '../../core/in-force.js';
import { ownValue } from '../../core/json.js';
import type { LastCalls } from '../../core/model-use.js';
import type { ModelSituation } from '../../core/resolver.js';
import { budgetShares, resolveModel, rowWords } from '../../core/resolver.js';
import type { PinnedRole } from '../../core/role.js';
import { budgetUse } from '../../core/run-state.js';
import type { Run } from '../run.js';
import { goOnWith } from '../set-model.js';
import { requestTokens } from './fit-thread.js';

const NO_CALLS: LastCalls = { stop: null, failure: null };

/** The model that the role is called with now. A change is told. */
export function modelForCall(run: Run, role: PinnedRole): string {
  resolve(run, role);
  const model = modelOf(run.state, role);
  goOnWith(run, role, model, whyChosen(run, role));
  return model;
}

/** What the role would go on with if this model failed it now: the failure may be what a row waits for. */
export function modelAfter(run: Run, role: PinnedRole, model: string): string | undefined {
  resolve(run, role);
  return nextModelOf(run.state, role, model);
}

function resolve(run: Run, role: PinnedRole): void {
  const { pinned, state } = run;
  if (pinned.resolver.length === 0 || isSet(state, role)) return;
  const row = resolveModel(pinned.resolver, situationOf(run, role));
  state.models.resolved[role.name] = { row };
}

/** The row that holds now names this failure. */
export function waitsFor({ pinned, state }: Run, { name }: PinnedRole, { type }: CallFailure): boolean {
  const { row = null } = ownValue(state.models.resolved, name) ?? {};
  return row !== null && pinned.resolver[row]?.when.lastFailure === type;
}

/** Why it is that model, in words, where it is another than before. */
function whyChosen({ pinned, state }: Run, { name }: PinnedRole): string {
  const { row = null } = ownValue(state.models.resolved, name) ?? {};
  return row === null ? 'its own chain again' : rowWords(pinned.resolver, row);
}

export function noteCall(run: Run, role: string, how: Partial<LastCalls>): void {
  const { last } = run.state.models;
  last[role] = { ...(ownValue(last, role) ?? NO_CALLS), ...how };
}

function situationOf(run: Run, role: PinnedRole): ModelSituation {
  const { state } = run;
  const { stop, failure } = ownValue(state.models.last, role.name) ?? NO_CALLS;
  const { phase, turns } = here(state.cursor);
  return {
    role: role.name,
    mode: state.settings.mode,
    phase,
    round: turns.round + 1,
    turn: state.total.turns + 1,
    used: budgetShares(run.limits, budgetUse(state, run.ports.now())),
    lastStop: stop,
    lastFailure: failure,
    inputTokens: requestTokens(run, role),
  };
}
