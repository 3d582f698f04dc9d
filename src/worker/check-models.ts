/** A worker without a usable model refuses to start: it would take runs and fail each of them. */
import type { Settings } from '../config/settings.js';
import { FAILURE } from '../core/failure.js';
import { ModelCallError } from '../models/model-call-error.js';
import type { ProviderRegistry } from '../models/providers.js';
import { SteersmanError } from '../shared/errors.js';

export interface ModelCheck {
  configDir: string | null;
  /**
   * True for a background worker of the local stack, which also serves runs that name the rehearsal model:
   * there a key that is not set is no reason to refuse. Runs of other models fail and say what to set.
   */
  servesRehearsal: boolean;
}

/** Resolves every configured model's provider. Throws SteersmanError that names what to set. */
export function checkModels(
  settings: { models: Pick<Settings['models'], 'default' | 'roles' | 'resolver'> },
  providers: ProviderRegistry,
  { configDir, servesRehearsal }: ModelCheck,
): void {
  const { models } = settings;
  const named = [
    ...new Set([
      ...(models.default ?? []),
      ...Object.values(models.roles).flat(),
      ...models.resolver.flatMap(({ use }) => use),
    ]),
  ];
  for (const model of named) {
    try {
      providers.resolve(model);
    } catch (error) {
      if (!(error instanceof ModelCallError)) throw error;
      if (servesRehearsal && error.type === FAILURE.model.auth) continue;
      throw new SteersmanError(
        `The model ${model} of ${configDir === null ? 'settings' : `${configDir}/steersman.yaml`} is not usable: ${error.message}`,
        error.type === FAILURE.model.auth ? SET_A_KEY : NAME_ANOTHER,
      );
    }
  }
}

const NAME_ANOTHER = 'Name another model under "models" in steersman.yaml.';
/** What is missing the error says: a provider knows its variables. */
const SET_A_KEY =
  'Variables may stand in .env or the environment. Or name another model under "models" in steersman.yaml (rehearsal works without a key: rules, not intelligence).';
