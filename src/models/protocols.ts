/** The supported protocols: each has a folder and a line here. */
import { createAnthropicProvider } from './anthropic/provider.js';
import { createChatProvider } from './chat/provider.js';
import type { Endpoint, EndpointSettings, Protocol } from './provider/endpoint.js';
import { endpointOf } from './provider/endpoint.js';
import type { EndpointProvider } from './provider/provider.js';
import { createResponsesProvider } from './responses/request-body.js';

const SPEAKERS: Readonly<Record<Protocol, (endpoint: Endpoint) => EndpointProvider>> = {
  'openai-responses': createResponsesProvider,
  'openai-compatible': createChatProvider,
  anthropic: createAnthropicProvider,
};

/** Makes the provider of an endpoint. Throws `ModelCallError` as `endpointOf` does. */
export function createProvider(settings: EndpointSettings): EndpointProvider {
  const endpoint = endpointOf(settings);
  const provider = SPEAKERS[endpoint.protocol](endpoint);
  return endpoint.toolSyntax === undefined ? provider : { ...provider, toolSyntax: endpoint.toolSyntax };
}
