/** The one place where the model changes that a role goes on with: each change is told, with from, to and why. */

import { jsonBytes, ownValue } from '../../base/json/json.js';
import { CHOSEN_BYTES, OUT_BYTES } from '../../base/sizes/bounds.js';
import { preview } from '../../base/text/preview.js';
import { isSubagent } from '../../rules/agents/subagent.js';
import { isOut, modelFault, modelOf } from '../../rules/limits/in-force.js';
import type { PinnedRole } from '../../run/agents/role.js';
import { tellAgents } from '../agents/tell-agents.js';
import type { Run } from '../run/run.js';

/** From its next call on the role has this model alone, also one that failed before. `why`: who chose it, in words. */
export function setModel(run: Run, role: PinnedRole, model: string, why: string): void {
  const { models } = run.state;
  models.at[role.name] = ownValue(models.at, role.name) ?? modelOf(run.state, role);
  models.chains[role.name] = [model];
  models.failed[role.name] = [];
  backIn(run, model);
  goOnWith(run, role, model, why);
}

const CHOSEN = 'chosen by a person';
/** Beside the model for all. */
const CHOSEN_ROLES_BYTES = CHOSEN_BYTES - 1_100;

/** What a person chose for a role, or for all (null): here, in the agents at work, and in those that begin later. */
export function chooseModel(run: Run, { model, role }: { model: string; role: string | null }): void {
  const { models } = run.state;
  models.chosen =
    role === null
      ? { all: model, roles: {} }
      : { ...models.chosen, roles: within(CHOSEN_ROLES_BYTES, models.chosen.roles, role, model) };
  setChosen(run, role);
  tellAgents(run, () => ({ signal: 'caller', input: { type: 'model_chosen', model, role } }));
}

/** The roles of this run go on with what was chosen for them, or the one that is named. */
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

/** The model failed the role, which goes on with the next one. */
export function leaveModel(
  run: Run,
  role: PinnedRole,
  { model, next, why }: { model: string; next: string; why: string },
): void {
  const { failed } = run.state.models;
  failed[role.name] = [...(ownValue(failed, role.name) ?? []), model];
  goOnWith(run, role, next, why);
}

/** The model failed for a reason that lasts, of type `failure`: no other role, in any run of the goal, calls it. */
export function putOut(run: Run, model: string, failure: string): void {
  if (isOut(run.state, model)) return;
  setOut(run, within(OUT_BYTES, run.state.models.out, model, failure));
  if (isSubagent(run.state.settings)) run.ports.tellCaller({ type: 'model_out', model, failure });
}

/** The model answers, or somebody wants it. */
export function backIn(run: Run, model: string): void {
  if (!isOut(run.state, model)) return;
  const { [model]: _, ...out } = run.state.models.out;
  setOut(run, out);
  if (isSubagent(run.state.settings)) run.ports.tellCaller({ type: 'model_back', model });
}

/** What is out for all runs of the goal is the word of the highest. */
export function setOut(run: Run, out: Record<string, string>): void {
  run.state.models.out = out;
  tellAgents(run, () => ({ signal: 'caller', input: { type: 'models_out', out } }));
}

/** The record with one member more, without the first where that is too much. */
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

/** The role is called with this model from here on. */
export function goOnWith(run: Run, { name }: PinnedRole, model: string, why: string): void {
  const { at } = run.state.models;
  const from = ownValue(at, name) ?? model;
  at[name] = model;
  if (from !== model) run.journal('provider_switch', { role: name, fromModel: from, toModel: model, why });
}
