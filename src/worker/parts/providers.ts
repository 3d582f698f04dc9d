/** The only place that puts the providers of this program together. */

import { createDemoProvider } from '@steersman/demo-model';
import { createProvider } from '../../models/protocols.js';
import type { EndpointSettings } from '../../models/provider/endpoint.js';
import { endpointFault, endpointNames, endpointSettings } from '../../models/provider/endpoints.js';
import { type ModelsConfig, modelInfo, pinnedModel } from '../../models/provider/model-info.js';
import type { ModelProvider } from '../../models/provider/provider.js';
import type { ProviderFactory, ProviderRegistry } from '../../models/provider/providers.js';
import { createProviders } from '../../models/provider/providers.js';
import type { PinnedModel } from '../../run/agents/run-config.js';
import { env } from '../../shared/process/env.js';
import { SteersmanError } from '../../shared/process/errors.js';

/** Returns the providers for the current configuration. */
export type ProviderSource = (models: ModelsConfig) => ProviderRegistry;

/**
 * Returns the providers of this process: endpoints of the configuration and of variables, with keys from the
 * environment, and the program's own. A provider is reused while its endpoint is unchanged, with its connections and
 * its knowledge about the endpoint.
 */
export function providerSource(given: readonly ModelProvider[] = []): ProviderSource {
  const kept = new Map<string, { of: string; provider: ModelProvider }>();
  const keep = (settings: EndpointSettings): ModelProvider => {
    const of = JSON.stringify(settings);
    const last = kept.get(settings.name);
    if (last?.of === of) return last.provider;
    const provider = createProvider(settings);
    kept.set(settings.name, { of, provider });
    return provider;
  };
  const demo = createDemoProvider();
  return models => {
    const { endpoints } = models;
    const factoryOf = (name: string): ProviderFactory => {
      return () => keep(endpointSettings(name, endpoints[name], env.lookup));
    };
    const factories = {
      ...Object.fromEntries(endpointNames(endpoints).map(name => [name, factoryOf(name)])),
      /** Answers by rules, and is used only if it is named. */
      demo: () => demo,
      ...Object.fromEntries(given.map(provider => [provider.name, () => provider])),
    };
    return createProviders(factories, id => modelInfo(id, models, env.lookup));
  };
}

/** Returns the facts about a model that a run pins; it needs no key. Throws a SteersmanError if the endpoint is unknown. */
export function pinnedFacts(
  modelId: string,
  models: ModelsConfig,
  given: readonly ModelProvider[] = [],
): PinnedModel {
  const names = given.map(({ name }) => name);
  const fault = endpointFault(modelId, endpointNames(models.endpoints, names));
  if (fault === null) return pinnedModel(modelInfo(modelId, models, env.lookup));
  throw new SteersmanError(
    `The run cannot start: ${fault}`,
    'Write the endpoint under models.endpoints in steersman.yaml of its worker, or name another model.',
  );
}
