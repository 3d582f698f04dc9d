/** `steersman/models`: providers of models, and facts about models. */

export { candidates, chooseDefaultModel } from './default-model.js';
export { createProvider } from './protocols.js';
export { NO_ENDPOINT, type Protocol, SET_AN_ENDPOINT, splitModelId } from './provider/endpoint.js';
export { DEMO, endpointFault, endpointNames, presentEndpoints, protocolOf } from './provider/endpoints.js';
export { ModelCallError } from './provider/model-call-error.js';
export { knownModels, type ModelInfo, type ModelPrices, modelInfo } from './provider/model-info.js';
export {
  type ModelDelta,
  type ModelProvider,
  type ModelRequest,
  PLAIN_REQUEST,
} from './provider/provider.js';
export type { ProviderRegistry } from './provider/providers.js';
