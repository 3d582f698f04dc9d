/** The one place where the model changes that a role goes on with: each change is told, with from, to and why. */
import { modelOf } from '../core/in-force.js';
import { ownValue } from '../core/json.js';
import type { PinnedRole } from '../core/role.js';
import type { Run } from './run.js';

/** From its next call on the role has this model alone, also one that failed before. `why`: who chose it, in words. */
export function setModel(run: Run, role: PinnedRole, model: string, why: string): void {
  const { models } = run.state;
  models.at[role.name] = ownValue(models.at, role.name) ?? modelOf(run.state, role);
  models.chains[role.name] = [model];
  models.failed[role.name] = [];
  backIn(run, model);
  goOnWith(run, role, model, why);
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

/** The model failed for a reason that lasts: no other role finds that out once more. */
export function putOut({ state: { models } }: Run, model: string): void {
  if (!models.out.includes(model)) models.out = [...models.out, model];
}

/** The model answers, or somebody wants it. */
export function backIn({ state: { models } }: Run, model: string): void {
  if (models.out.includes(model)) models.out = models.out.filter(other => other !== model);
}

/** The role is called with this model from here on. */
export function goOnWith(run: Run, { name }: PinnedRole, model: string, why: string): void {
  const { at } = run.state.models;
  const from = ownValue(at, name) ?? model;
  at[name] = model;
  if (from !== model) run.journal('provider_switch', { role: name, fromModel: from, toModel: model, why });
}
