/** The models that a run pins, with facts about each; with a cost limit, only those with a known price. */
import { join } from 'node:path';
import { chooseModels, usualModels } from '../../config/choose-models.js';
import { namedModels } from '../../config/settings/models-schema.js';
import { SETTINGS_FILE, type Settings } from '../../config/settings/settings.js';
import { pricedChains, pricedRows } from '../../rules/limits/prices.js';
import type { PinnedRole } from '../../run/agents/role.js';
import type { PinnedModel, RunSettings } from '../../run/agents/run-config.js';
import { SteersmanError } from '../../shared/process/errors.js';

export interface PinModelsDeps {
  configDir: string | null;
  /** @throws SteersmanError for a provider that does not exist. */
  modelInfo(modelId: string, models: Settings['models']): PinnedModel;
  /**
   * Returns the model of roles without a configured one, `endpoint/model`. Default: roles then have no model.
   * @throws SteersmanError if it can't be determined.
   */
  defaultModel?(models: Settings['models']): Promise<string>;
}

/** True if a start chooses models, so that a wrong one is its fault. */
export function namesModels({ model, configuration }: RunSettings): boolean {
  return model !== undefined || configuration !== undefined;
}

/** @throws SteersmanError for a model that does not exist, and for unknown prices. */
export async function pinModels(
  deps: PinModelsDeps,
  roles: PinnedRole[],
  { settings: said, run, needsPrices }: { settings: Settings; run: RunSettings; needsPrices: boolean },
) {
  const file = join(deps.configDir ?? '', SETTINGS_FILE);
  const named = { runModel: run.model, configuration: run.configuration, file };
  const settings =
    deps.defaultModel && usualModels(roles, said.models, named)?.length === 0
      ? { models: { ...said.models, default: [await deps.defaultModel(said.models)] } }
      : said;
  const choice = chooseModels(roles, settings.models, named);
  const inChains = [...choice.models, ...choice.roles.flatMap(role => role.models)];
  // A person may choose the configuration's models during the run.
  const ids = [...new Set([...inChains, ...namedModels(settings.models).map(({ id }) => id)])];
  const modelInfo = Object.fromEntries(ids.map(id => [id, deps.modelInfo(id, settings.models)]));
  // A model named for the run excludes the rows of the resolver.
  const resolver = run.model === undefined ? settings.models.resolver : [];
  if (!needsPrices) return { choice: { ...choice, warnings: [] }, modelInfo, resolver };
  const priced = pricedChains(choice, modelInfo);
  const { rows, warnings } = pricedRows(resolver, modelInfo);
  if (priced.fault === null) {
    return {
      choice: { ...priced, warnings: [...priced.warnings, ...warnings] },
      modelInfo,
      resolver: rows,
    };
  }
  throw new SteersmanError(
    priced.fault,
    'Use a model whose price is known, say its prices under models.info in steersman.yaml, or set no limit: costUsd: null there, or costUsd=none for a run.',
  );
}
