/** Changes the model of a role; all changes go through here, and each is reported with both models and the reason. */

import { jsonBytes, ownValue } from '../../base/json/json.js';
import { CHOSEN_BYTES, OUT_BYTES } from '../../base/sizes/bounds.js';
import { preview } from '../../base/text/preview.js';
import { isSubagent } from '../../rules/agents/subagent.js';
import { isOut, modelFault, modelOf } from '../../rules/limits/in-force.js';
import type { PinnedRole } from '../../run/agents/role.js';
import type { Run } from '../run/run.js';
import { tellAgents } from '../run/tell-agents.js';

/** From its next call on the role uses only this model, even if it failed before. `why`: who chose it, in words. */
export function setModel(run: Run, role: PinnedRole, model: string, why: string): void {
  const { models } = run.state;
  models.at[role.name] = ownValue(models.at, role.name) ?? modelOf(run.state, role);
  models.chains[role.name] = [model];
  models.failed[role.name] = [];
  enableModel(run, model);
  goOnWith(run, role, model, why);
}

const CHOSEN = 'chosen by a person';
/** Size limit of the models for roles, excluding the model for all. */
const CHOSEN_ROLES_BYTES = CHOSEN_BYTES - 1_100;

/** Applies a person's choice for a role, or for all (null): here, in running agents, and in those that begin later. */
export function chooseModel(run: Run, { model, role }: { model: string; role: string | null }): void {
  const { models } = run.state;
  models.chosen =
    role === null
      ? { all: model, roles: {} }
      : { ...models.chosen, roles: within(CHOSEN_ROLES_BYTES, models.chosen.roles, role, model) };
  setChosen(run, role);
  tellAgents(run, () => ({ signal: 'caller', input: { type: 'model_chosen', model, role } }));
}

/** Applies the chosen models to the roles of this run, or only to the named one. */
export function setChosen(run: Run, only: string | null = null): void {
  const { state } = run;
  const { all, roles } = state.models.chosen;
  const refused = new Map<string, string>();
  for (const role of Object.values(state.pinned?.roles ?? {})) {
    const model = ownValue(roles, role.name) ?? all;
    if (model === null || (only !== null && only !== role.name)) continue;
    const fault = modelFault(state, model);
    if (fault === null) setModel(run, role, model, CHOSEN);
    else refused.set(model, fault);
  }
  for (const [model, why] of refused)
    run.ports.tellCaller({ type: 'not_taken', what: `the model ${preview(model, 200)}`, why, by: '' });
}

/** Moves a role from a model that failed it to the next one. */
export function leaveModel(
  run: Run,
  role: PinnedRole,
  { model, next, why }: { model: string; next: string; why: string },
): void {
  const { failed } = run.state.models;
  failed[role.name] = [...(ownValue(failed, role.name) ?? []), model];
  goOnWith(run, role, next, why);
}

/** Disables a model for all roles, in all runs of the goal: it failed for a lasting reason of type `failure`. */
export function disableModel(run: Run, model: string, failure: string): void {
  if (isOut(run.state, model)) return;
  setOut(run, within(OUT_BYTES, run.state.models.out, model, failure));
  if (isSubagent(run.state.settings)) run.ports.tellCaller({ type: 'model_out', model, failure });
}

/** Enables the model again: it has answered, or a person chose it. */
export function enableModel(run: Run, model: string): void {
  if (!isOut(run.state, model)) return;
  const { [model]: _, ...out } = run.state.models.out;
  setOut(run, out);
  if (isSubagent(run.state.settings)) run.ports.tellCaller({ type: 'model_back', model });
}

/** Sets the models that are disabled in all runs of the goal, as the top-level run decides. */
export function setOut(run: Run, out: Record<string, string>): void {
  run.state.models.out = out;
  tellAgents(run, () => ({ signal: 'caller', input: { type: 'models_out', out } }));
}

/** Returns the record with one more member; the first members are dropped if it exceeds the limit. */
function within(
  maxBytes: number,
  record: Readonly<Record<string, string>>,
  key: string,
  value: string,
): Record<string, string> {
  const { [key]: _, ...others } = record;
  const kept = Object.entries({ ...others, [key]: value });
  while (jsonBytes(Object.fromEntries(kept)) > maxBytes) kept.shift();
  return Object.fromEntries(kept);
}

/** Sets the model that the role uses from here on. */
export function goOnWith(run: Run, { name }: PinnedRole, model: string, why: string): void {
  const { at } = run.state.models;
  const from = ownValue(at, name) ?? model;
  at[name] = model;
  if (from !== model) run.journal('provider_switch', { role: name, fromModel: from, toModel: model, why });
}
