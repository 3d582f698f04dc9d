/** The limits and models in force: both may change while a run works, its pinned values never do. */

import { ownValue } from '../../base/json/json.js';
import { preview } from '../../base/text/preview.js';
import type { PinnedRole } from '../../run/agents/role.js';
import { DEFAULT_LIMITS, type Limits } from '../../run/limits/limits.js';
import type { RunState } from '../../run/state/run-state.js';

export function limitsOf({ pinned, limits }: Pick<RunState, 'pinned' | 'limits'>): Limits {
  // Limits that earlier code did not know have their default.
  return { ...DEFAULT_LIMITS, ...pinned?.limits, ...limits };
}

type Role = Pick<PinnedRole, 'name' | 'models'>;
type Models = Pick<RunState, 'models' | 'pinned'>;

export function ownChainOf({ models }: Pick<RunState, 'models'>, role: Role): readonly string[] {
  return ownValue(models.chains, role.name) ?? role.models;
}

/** True if a person, or a role acting for them, set the role's models: they are not replaced unasked. */
export function isSet({ models }: Pick<RunState, 'models'>, { name }: Pick<Role, 'name'>): boolean {
  return ownValue(models.chains, name) !== undefined;
}

export function chainOf(state: Models, role: Role): readonly string[] {
  const own = ownChainOf(state, role);
  if (isSet(state, role)) return own;
  const { row = null, model } = ownValue(state.models.resolved, role.name) ?? {};
  const asItIs = own.length > 0 ? own : (state.pinned?.models ?? []);
  const use = (row === null ? undefined : state.pinned?.resolver[row]?.use) ?? asItIs;
  return model === undefined ? use : [model, ...use.filter(other => other !== model)];
}

/** Returns the first usable model of the role's chain; else its last call's, to try it again. */
export function modelOf(state: Models, role: Role): string {
  const chain = chainOf(state, role);
  const at = ownValue(state.models.at, role.name);
  const again = at !== undefined && chain.includes(at) ? at : chain.at(-1);
  const model = leftOf(state, role)[0] ?? again;
  if (model === undefined) throw new Error(`role ${role.name} has no model`);
  return model;
}

/** Returns the model to use after this one fails the role; undefined if its chain has no other usable one. */
export function nextModelOf(state: Models, role: Role, model: string): string | undefined {
  const full = (ownValue(state.models.failed, role.name) ?? []).length >= MOST_FAILED;
  return full ? undefined : leftOf(state, role).find(other => other !== model);
}

/** Models that may fail a role in a goal: if more fail, the fault lies elsewhere. */
const MOST_FAILED = 16;

function leftOf(state: Models, role: Role): string[] {
  const failed = ownValue(state.models.failed, role.name) ?? [];
  return chainOf(state, role).filter(model => !failed.includes(model) && !isOut(state, model));
}

/** True if the role's chain has a model, other than `except`, that is not out: each may succeed the next time. */
export function mayBeCalled(state: Models, role: Role, except: string | null = null): boolean {
  return chainOf(state, role).some(model => model !== except && !isOut(state, model));
}

/** True if the model failed any run of this goal for a lasting reason. */
export function isOut({ models }: Pick<RunState, 'models'>, model: string): boolean {
  return Object.hasOwn(models.out, model);
}

export function modelFault(
  { pinned, limits }: Pick<RunState, 'pinned' | 'limits'>,
  model: string,
): string | null {
  const { modelInfo = {} } = pinned ?? {};
  const known = ownValue(modelInfo, model);
  if (!known) {
    const names = Object.keys(modelInfo).join(', ');
    return `The run does not know the model ${preview(model, 200)}: it was started with ${names}. A model is known that the configuration names at the start, also under models.info.`;
  }
  return needsPrices({ pinned, limits }) && !known.costKnown ? noPrice(model) : null;
}

/** True if the cost is limited, or another feature needs the cost of each call. */
export function needsPrices(state: Parameters<typeof limitsOf>[0]): boolean {
  return limitsOf(state).costUsd !== null || state.pinned?.needsPrices === true;
}

export function noPrice(models: string): string {
  return `No price is known for ${models}, so the limit costUsd could not be held.`;
}
