/** Which models answer for the roles of a run. */

import { ownValue } from '../base/json/json.js';
import type { PinnedRole } from '../run/agents/role.js';
import { SteersmanError } from '../shared/process/errors.js';
import { displayPath } from './files/files.js';
import { type ModelSettings, modelChainSchema } from './schema/models-schema.js';
import { SETTINGS_FILE } from './settings.js';

export interface ModelChoice {
  /** Chain for roles whose own list is empty. */
  models: string[];
  roles: PinnedRole[];
}

export interface RunChoice {
  /** One model, alone for every role. */
  runModel?: string | undefined;
  /** Name of one of `models.configurations`. */
  configuration?: string | undefined;
  /** For messages: the file of the settings. */
  file?: string;
}

type ModelSources = Pick<ModelSettings, 'default' | 'roles' | 'configurations'>;

/**
 * Which models answer. A model named for the run stands alone: nothing replaces it unasked. Else what is said of a
 * role goes before what is said of all: the configuration's choice for it, `models.roles`, its front matter, and then
 * the configuration's default and `models.default`.
 * @throws SteersmanError when a role is left without a model, or the run names what there is not.
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
 * The models of roles that have none of their own: none where nothing names one, null where each role has its own.
 * @throws SteersmanError for a configuration that there is not.
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
