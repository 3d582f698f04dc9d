/** Provider for Anthropic and every endpoint that speaks its Messages API. */
import Anthropic from '@anthropic-ai/sdk';
import { isRecord } from '../../base/json/json.js';
import type { Endpoint } from '../provider/endpoint.js';
import type { EndpointProvider } from '../provider/provider.js';
import { brokenOff } from '../reply/end-reasons.js';
import { publicUrl } from '../sdk/classify.js';
import {
  answerText,
  clientOptions,
  createSdkProvider,
  errorObject,
  type RefusalAnswer,
  waitOf,
} from '../sdk/sdk-provider.js';
import { eventsOfMessage, readMessage } from './read-events.js';
import { MESSAGES_OPTIONS, type MessagesBody, toMessagesBody } from './request-body.js';

/** Every endpoint of this protocol knows this version, and it is the last one that takes sampling options. */
const EARLIER_VERSION = '2023-06-01';

export function createAnthropicProvider(at: Endpoint): EndpointProvider {
  const client = createClient(at);
  const ownAnthropic = at.url.hostname.endsWith('anthropic.com');
  const versionFor = (body?: MessagesBody) => {
    const isSampled = body?.temperature !== undefined || body?.top_p !== undefined;
    return ownAnthropic && !isSampled ? {} : { headers: { 'anthropic-version': EARLIER_VERSION } };
  };
  return createSdkProvider<MessagesBody>(at, {
    answer: 'a message',
    addressHint: 'it is the address without /v1/messages',
    options: MESSAGES_OPTIONS,
    toBody: request => toMessagesBody(at.name, request),
    // `messages.create` is avoided because it logs warnings about the model to the console.
    send: (body, signal) =>
      client.post('/v1/messages', { body, signal, stream: true, ...versionFor(body) }).asResponse(),
    list: signal =>
      client.get('/v1/models', { query: { limit: 1000 }, signal, ...versionFor() }).asResponse(),
    read: readMessage,
    whole: eventsOfMessage,
    answerOf,
    failureIn: event => {
      const error = errorIn(event);
      return (
        error && answerOf(new Anthropic.APIError(undefined, { type: 'error', error }, undefined, undefined))
      );
    },
  });
}

function createClient(at: Endpoint): Anthropic {
  const { apiKey, url } = at;
  // The SDK sends only a bearer token, but some gateways read the other header.
  const keyHeaders = { Authorization: `Bearer ${apiKey}`, 'X-Api-Key': apiKey ?? null };
  return new Anthropic({
    ...clientOptions(at, apiKey === undefined ? { Authorization: null } : keyHeaders),
    // A base URL may end in the version, as base URLs of other protocols do.
    baseURL: publicUrl(url).replace(/\/v1$/, ''),
    // If these were left out, the SDK would read them from the environment, bypassing src/shared/process/env.ts.
    webhookKey: null,
    openTelemetry: false,
  });
}

function errorIn(event: unknown): object | null {
  if (!isRecord(event)) return null;
  const { type, error, delta } = event;
  if (type === 'error' || error) return errorObject(error);
  return isRecord(delta) ? brokenOff(delta.stop_reason) : null;
}

/** Returns null for broken connections: an APIConnectionError is an APIError too, but holds no answer. */
function answerOf(error: unknown): RefusalAnswer | null {
  if (!(error instanceof Anthropic.APIError) || error instanceof Anthropic.APIConnectionError) return null;
  return {
    status: error.status ?? null,
    code: error.errorCode,
    type: error.type,
    param: null,
    waitMs: waitOf(isRecord(error.error) ? error.error.error : null),
    message: answerText(error.apiMessage ?? error.error, error.message),
    headers: error.headers ?? null,
  };
}
