/** Which models can be used: what is configured, and what each endpoint lists. */

import { callableModels } from '../../config/models-schema.js';
import { promptRoots } from '../../config/prompts/prompt-files.js';
import { loadRoles } from '../../config/prompts/prompts.js';
import { loadSettings } from '../../config/settings.js';
import { errorText } from '../../core/text/error-text.js';
import type { Protocol } from '../../models/endpoint.js';
import { presentEndpoints, protocolOf } from '../../models/endpoints.js';
import { type ModelInfo, modelInfo } from '../../models/model-info.js';
import type { ProviderRegistry } from '../../models/providers.js';
import { env } from '../../shared/env.js';
import { providerSource } from '../../worker/providers.js';

export interface UsableModel {
  /** `endpoint/model`. */
  id: string;
  /** `steersman.yaml` names it, or the front matter of a role. */
  configured: boolean;
  /** Its endpoint lists it; null where that lists none. */
  listed: boolean | null;
  info: ModelInfo;
}

export interface EndpointModels {
  endpoint: string;
  protocol: Protocol;
  /** Base URL without credentials; null where the endpoint is not usable. */
  address: string | null;
  /** Why it gave no list; null where it did. */
  fault: string | null;
  /** Configured ones first. */
  models: UsableModel[];
}

export const LIST_LIMIT_MS = 10_000;

/** Asks every endpoint at once, each for no longer than `limitMs`. Throws a SteersmanError for a bad `steersman.yaml`, and for bad prompts. */
export async function listModels(configDir: string, limitMs = LIST_LIMIT_MS): Promise<EndpointModels[]> {
  const { models, language } = await loadSettings(configDir);
  const roles = await loadRoles(promptRoots(configDir), language);
  const providers = providerSource()(models);
  const configured = callableModels(
    models,
    roles.map(({ profile }) => profile),
  ).concat(Object.keys(models.info));
  const usable = (id: string, listed: readonly string[] | null): UsableModel => ({
    id,
    configured: configured.includes(id),
    listed: listed?.includes(id) ?? null,
    info: modelInfo(id, models, env.lookup),
  });
  return Promise.all(
    presentEndpoints(models.endpoints, env.lookup).map(async endpoint => {
      const { address, listed, fault } = await askForList(endpoint, providers, limitMs);
      const own = configured.filter(id => id.startsWith(`${endpoint}/`));
      const ids = [...new Set([...own, ...(listed ?? []).toSorted()])];
      const protocol = protocolOf(endpoint, models.endpoints[endpoint], env.lookup);
      return { endpoint, protocol, address, fault, models: ids.map(id => usable(id, listed)) };
    }),
  );
}

interface Answer {
  address: string | null;
  /** Ids with their endpoint; null where none came. */
  listed: string[] | null;
  fault: string | null;
}

/** The health of an endpoint: whether it lists its models. */
export async function askForList(
  endpoint: string,
  providers: ProviderRegistry,
  limitMs = LIST_LIMIT_MS,
): Promise<Answer> {
  const signal = AbortSignal.timeout(limitMs);
  let address: string | null = null;
  try {
    const { provider } = providers.resolve(`${endpoint}/*`);
    address = provider.endpoint;
    const listed = await provider.listModels(signal);
    return { address, listed: listed.map(model => `${endpoint}/${model}`), fault: null };
  } catch (error) {
    const fault = signal.aborted ? `no answer within ${limitMs / 1_000} s` : errorText(error);
    return { address, listed: null, fault };
  }
}
