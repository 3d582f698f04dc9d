/** The providers of a worker process: each is created on first use, then cached (M3). */
import { FAILURE } from '../../run/limits/failure.js';
import { splitModelId } from './endpoint.js';
import { endpointFault } from './endpoints.js';
import { ModelCallError } from './model-call-error.js';
import { type ModelInfo, modelInfo } from './model-info.js';
import type { ModelProvider } from './provider.js';

/** Creates a provider; throws `ModelCallError` if it is not configured. */
export type ProviderFactory = () => ModelProvider;

export interface ResolvedModel {
  provider: ModelProvider;
  model: string;
  info: ModelInfo;
}

export interface ProviderRegistry {
  /**
   * Finds the provider of a model id `endpoint/model`. Throws `ModelCallError` with what to do when the
   * provider does not exist or has neither key nor base URL.
   */
  resolve(modelId: string): ResolvedModel;
}

/**
 * Creates the registry. `factories` are keyed by the first segment of model ids. Default of `infoOf`: only the data.
 */
export function createProviders(
  factories: Readonly<Record<string, ProviderFactory>>,
  infoOf: (modelId: string) => ModelInfo = modelInfo,
): ProviderRegistry {
  const made = new Map<string, ModelProvider>();
  return {
    resolve: modelId => {
      const { provider: name, model } = splitModelId(modelId);
      const factory = Object.hasOwn(factories, name) ? factories[name] : undefined;
      if (model === '' || !factory) throw unknown(modelId, Object.keys(factories));
      const provider = made.get(name) ?? factory();
      made.set(name, provider);
      return { provider, model, info: infoOf(modelId) };
    },
  };
}

function unknown(modelId: string, endpoints: string[]): ModelCallError {
  const fault = endpointFault(modelId, endpoints) ?? `${modelId} names no model.`;
  return new ModelCallError(
    FAILURE.model.unknownModel,
    `${fault.slice(0, 1).toUpperCase()}${fault.slice(1)}`,
  );
}
