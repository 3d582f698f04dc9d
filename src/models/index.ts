/** `steersman/models`: providers of models, and what is known of models. */

export { PLAIN_REQUEST } from './complete.js';
export { chooseDefaultModel } from './default-model.js';
export { NO_ENDPOINT, type Protocol, SET_AN_ENDPOINT, splitModelId } from './endpoint.js';
export { DEMO, endpointFault, endpointNames, presentEndpoints, protocolOf } from './endpoints.js';
export { knownModels, type ModelInfo, type ModelPrices, modelInfo } from './info/model-info.js';
export { ModelCallError } from './model-call-error.js';
export { createProvider } from './protocols.js';
export type { ModelDelta, ModelProvider, ModelRequest } from './provider.js';
export type { ProviderRegistry } from './providers.js';
