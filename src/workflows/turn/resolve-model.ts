/** Chooses the model of a role's next call, for each call anew, by the table that the run pins. */

import { ownValue } from '../../base/json/json.js';
import { preview } from '../../base/text/preview.js';
import { isOut, isSet, modelOf, needsPrices, nextModelOf } from '../../rules/limits/in-force.js';
import type { PinnedRole } from '../../run/agents/role.js';
import type { CallFailure } from '../../run/limits/failure.js';
import type { LastCalls } from '../../run/models/model-use.js';
import { budgetShares, type ModelSituation, resolveModel, rowWords } from '../../run/models/resolver.js';
import { here } from '../../run/state/cursor.js';
import { budgetUse } from '../../run/state/run-state.js';
import { factsOf, modelChosen } from '../beside/moments.js';
import { modelFailed } from '../beside/tell.js';
import { goOnWith } from '../changes/set-model.js';
import type { Run } from '../run/run.js';
import { requestTokens } from './fit-thread.js';

const NO_CALLS: LastCalls = { stop: null, failure: null };

/** Returns the model for the role's next call, and reports a change. */
export function modelForCall(run: Run, role: PinnedRole): string {
  resolve(run, role);
  const model = modelOf(run.state, role);
  modelChosen(run, role, model);
  goOnWith(run, role, model, whyChosen(run, role, model));
  return model;
}

/** Returns the model to try if this one fails now; the resolver table may have a row for the failure. */
export function modelAfter(run: Run, role: PinnedRole, model: string): string | undefined {
  resolve(run, role);
  return nextModelOf(run.state, role, model);
}

function resolve(run: Run, role: PinnedRole): void {
  const { pinned, state } = run;
  if (pinned.resolver.length === 0 || isSet(state, role)) return;
  const row = resolveModel(pinned.resolver, situationOf(run, role));
  const { model } = ownValue(state.models.resolved, role.name) ?? {};
  state.models.resolved[role.name] = { row, ...(model === undefined ? {} : { model }) };
}

/** True if the current resolver row is for this failure. */
export function waitsFor({ pinned, state }: Run, { name }: PinnedRole, { type }: CallFailure): boolean {
  const { row = null } = ownValue(state.models.resolved, name) ?? {};
  return row !== null && pinned.resolver[row]?.when.lastFailure === type;
}

/** Returns why the model changed, in words. */
function whyChosen({ pinned, state }: Run, { name }: PinnedRole, called: string): string {
  const { row = null, model } = ownValue(state.models.resolved, name) ?? {};
  const before = ownValue(state.models.at, name);
  if (before !== undefined && isOut(state, before))
    return `${before} failed another role for a reason that lasts`;
  if (model === called) return "chosen by the worker's program";
  return row === null ? 'its own chain again' : rowWords(pinned.resolver, row);
}

/** Asks the worker's program for a model, if it wants that. False: an event came meanwhile, which the loop handles first. */
export async function askProgram(run: Run, role: PinnedRole): Promise<boolean> {
  const { state, pinned, ports } = run;
  if (!pinned.asksProgram || isSet(state, role)) return true;
  const before = state.log.journal.lastSeq;
  const input = { situation: situationOf(run, role), context: state.settings.context ?? {} };
  const asked = await ports.resolveModel(input);
  if (state.log.journal.lastSeq !== before) return false;
  if (!asked.ok && asked.failure.kind === 'cancelled') return false;
  const fault = asked.ok ? modelFault(run, asked.value.model) : asked.failure.message;
  const { row = null, model: last = null } = ownValue(state.models.resolved, role.name) ?? {};
  // After a fault, the program's last choice stays, because the role's chain may cost more.
  const kept = run.behaves(4) ? last : null;
  const model = asked.ok && fault === null ? asked.value.model : kept;
  state.models.resolved[role.name] = { row, ...(model === null ? {} : { model }) };
  if (fault === null) return true;
  const isFirst = !state.goal.warned.includes(UNRESOLVED);
  run.warnOnce(UNRESOLVED, `resolveModel of the worker's program chose no model: ${fault}`);
  if (isFirst && run.behaves(4))
    await modelFailed(run, role.name, { kind: 'application', type: '', message: `resolveModel: ${fault}` });
  return true;
}

/** The key of the warning, which a goal gets only once. */
const UNRESOLVED = 'resolveModel';

function modelFault({ pinned, state }: Run, model: string | null): string | null {
  if (model === null) return null;
  const known = ownValue(pinned.modelInfo, model);
  if (!known) return `the configuration does not name ${preview(model, 200)}`;
  return needsPrices(state) && !known.costKnown ? `cost counts, and ${model} has no price` : null;
}

export function noteCall(run: Run, role: string, how: Partial<LastCalls>): void {
  const { last } = run.state.models;
  last[role] = { ...(ownValue(last, role) ?? NO_CALLS), ...how };
}

function situationOf(run: Run, role: PinnedRole): ModelSituation {
  const { state } = run;
  const { stop, failure } = ownValue(state.models.last, role.name) ?? NO_CALLS;
  const { phase, turns } = here(run.cursor);
  return {
    role: role.name,
    mode: state.goal.mode,
    phase,
    round: turns.round + 1,
    turn: state.total.turns + 1,
    used: budgetShares(run.limits, budgetUse(state, run.ports.now())),
    lastStop: stop,
    lastFailure: failure,
    inputTokens: requestTokens(run, role),
    credits: null,
    ...factsOf(run),
  };
}
