/** The providers of a worker process: made when first used, then kept (M3). */
import { FAILURE } from '../core/failure.js';
import { ModelCallError } from './model-call-error.js';
import { splitModelId } from './model-id.js';
import type { ModelProvider } from './provider.js';

/** Makes a provider; throws `ModelCallError` when it is not configured. */
export type ProviderFactory = () => ModelProvider;

export interface ResolvedModel {
  provider: ModelProvider;
  /** Name at the endpoint. */
  model: string;
}

export interface ProviderRegistry {
  /**
   * Finds the provider of a model id `provider/model`. Throws `ModelCallError` with what to do when the
   * provider does not exist or has neither key nor base URL.
   */
  resolve(modelId: string): ResolvedModel;
}

/** Makes the registry; `factories` by the first segment of model ids. */
export function createProviders(factories: Readonly<Record<string, ProviderFactory>>): ProviderRegistry {
  const made = new Map<string, ModelProvider>();
  return {
    resolve: modelId => {
      const { provider: name, model } = splitModelId(modelId);
      const factory = Object.hasOwn(factories, name) ? factories[name] : undefined;
      if (model === '') throw badId(modelId, Object.keys(factories));
      if (!factory) throw unknownProvider(modelId, Object.keys(factories));
      const provider = made.get(name) ?? factory();
      made.set(name, provider);
      return { provider, model };
    },
  };
}

function badId(modelId: string, known: string[]): ModelCallError {
  const message = `"${modelId}" is no model id. Write provider/model, as in openai/gpt-5-mini; known providers: ${known.join(', ')}.`;
  return new ModelCallError(FAILURE.model.unknownModel, message);
}

function unknownProvider(modelId: string, known: string[]): ModelCallError {
  const message = `There is no provider "${splitModelId(modelId).provider}" for the model ${modelId}. Known providers: ${known.join(', ')}.`;
  return new ModelCallError(FAILURE.model.unknownModel, message);
}
