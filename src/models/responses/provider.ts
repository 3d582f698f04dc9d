/** Provider for OpenAI's Responses API. */
import { isRecord } from '../../core/text/json.js';
import type { Endpoint } from '../endpoint.js';
import { createOpenAiProvider } from '../openai/openai-provider.js';
import type { ModelProvider } from '../provider.js';
import { readResponse } from './read-events.js';
import { RESPONSES_OPTIONS, type ResponsesBody, toResponsesBody } from './request-body.js';

/** Makes the provider of an endpoint that speaks the Responses API. */
export function createResponsesProvider(at: Endpoint): ModelProvider {
  return createOpenAiProvider<ResponsesBody>(at, {
    answer: 'a response',
    options: RESPONSES_OPTIONS,
    toBody: request => toResponsesBody(at.name, request),
    send: (client, body, signal) => client.responses.create(body, { signal }).asResponse(),
    read: readResponse,
    whole: body =>
      isRecord(body) && body.object === 'response'
        ? [{ type: `response.${body.status}`, response: body }]
        : [body],
  });
}
