/** Chooses the models for the roles of a run. */

import { ownValue } from '../base/json/json.js';
import type { PinnedRole } from '../run/agents/role.js';
import { SteersmanError } from '../shared/process/errors.js';
import { displayPath } from './files/files.js';
import { type ModelSettings, modelChainSchema } from './settings/models-schema.js';
import { SETTINGS_FILE } from './settings/settings.js';

export interface ModelChoice {
  /** The chain for roles whose own list is empty. */
  models: string[];
  roles: PinnedRole[];
}

export interface RunChoice {
  /** One model for every role, without fallbacks. */
  runModel?: string | undefined;
  /** The name of an entry in `models.configurations`. */
  configuration?: string | undefined;
  /** The settings file, for messages. */
  file?: string;
}

type ModelSources = Pick<ModelSettings, 'default' | 'roles' | 'configurations'>;

/**
 * Chooses the models. A model named for the run has no fallbacks: it is not replaced unasked. Otherwise choices for a
 * role precede those for all roles: the configuration's choice for it, `models.roles`, its front matter, and then the
 * configuration's default and `models.default`.
 * @throws SteersmanError if a role has no model, or the run names an unknown one.
 */
export function chooseModels(
  roles: readonly PinnedRole[],
  models: ModelSources,
  { runModel, configuration, file = SETTINGS_FILE }: RunChoice = {},
): ModelChoice {
  if (runModel !== undefined) {
    return { models: chainOf(runModel), roles: roles.map(role => ({ ...role, models: [] })) };
  }
  const { chosen, usual, bare } = chooseByRole(roles, models, { configuration, file });
  if (bare && usual === undefined) {
    throw new SteersmanError(
      `No model is configured for the role ${bare.name}.`,
      `Set models.default in ${displayPath(file)}, such as "default: openai/gpt-5-mini" under "models:", or name a model when you start the run.`,
    );
  }
  return { models: usual ?? [], roles: chosen };
}

/**
 * Returns the models of roles without their own: [] if none is configured, null if each role has its own.
 * @throws SteersmanError for an unknown configuration.
 */
export function usualModels(
  roles: readonly Pick<PinnedRole, 'name' | 'models'>[],
  models: ModelSources,
  { runModel, configuration }: RunChoice,
): string[] | null {
  if (runModel !== undefined) return null;
  const { usual = [], bare } = chooseByRole(roles, models, { configuration });
  return bare === undefined ? null : usual;
}

function chooseByRole<Role extends Pick<PinnedRole, 'name' | 'models'>>(
  roles: readonly Role[],
  models: ModelSources,
  { configuration, file = SETTINGS_FILE }: RunChoice,
) {
  const named = configuration === undefined ? null : configurationOf(models, configuration, file);
  const chosen = roles.map(role => {
    return { ...role, models: named?.roles[role.name] ?? models.roles[role.name] ?? role.models };
  });
  const usual = named?.default ?? models.default;
  return { chosen, usual, bare: chosen.find(role => role.models.length === 0) };
}

function chainOf(runModel: string): string[] {
  const chain = modelChainSchema.safeParse(runModel);
  if (chain.success) return chain.data;
  throw new SteersmanError(
    `The model "${runModel}" is not written as endpoint/model.`,
    'Name it in full, such as openai/gpt-5-mini.',
  );
}

function configurationOf(
  { configurations }: Pick<ModelSettings, 'configurations'>,
  name: string,
  file: string,
) {
  const found = ownValue(configurations, name);
  if (found) return found;
  const names = Object.keys(configurations);
  const there = names.length === 0 ? 'there is none' : `there are ${names.join(', ')}`;
  throw new SteersmanError(
    `There is no configuration "${name}" of models: in ${displayPath(file)} ${there}.`,
    'Name one that stands under models.configurations.',
  );
}
