/** Provider for Anthropic and every endpoint that speaks its Messages API. */
import Anthropic from '@anthropic-ai/sdk';
import { canonicalJson, isRecord, stringOr } from '../../core/text/json.js';
import { publicUrl } from '../classify.js';
import type { Endpoint } from '../endpoint.js';
import { fetchWithOnly } from '../endpoint-fetch.js';
import type { ModelProvider } from '../provider.js';
import { brokenOff } from '../reply/end-reasons.js';
import { createSdkProvider, type RefusalAnswer } from '../sdk-provider.js';
import { eventsOfMessage, readMessage } from './read-events.js';
import { MESSAGES_OPTIONS, type MessagesBody, toMessagesBody } from './request-body.js';

/** Known to every endpoint that speaks the protocol, and the last to take sampling options. */
const EARLIER_VERSION = '2023-06-01';

/** Makes the provider of an endpoint that speaks the Messages API. */
export function createAnthropicProvider(at: Endpoint): ModelProvider {
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
    // Not `messages.create`: it writes what it thinks of a model to the console.
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

function createClient({ apiKey, url, headers }: Endpoint): Anthropic {
  // A base URL may be written with the version in its path, as those of other protocols are.
  const baseURL = publicUrl(url).replace(/\/v1$/, '');
  // The SDK sends a bearer token; gateways look for either. Said here too, or the environment could say otherwise.
  const keyHeaders =
    apiKey === undefined
      ? { Authorization: null }
      : { Authorization: `Bearer ${apiKey}`, 'X-Api-Key': apiKey };
  const defaultHeaders = { ...keyHeaders, ...headers };
  return new Anthropic({
    baseURL,
    defaultQuery: Object.fromEntries(url.searchParams),
    // With a key the SDK looks for none elsewhere; without one the header is left out.
    apiKey: apiKey ?? 'none',
    // Without these the SDK would take them from the environment, behind src/shared/env.ts.
    webhookKey: null,
    openTelemetry: false,
    defaultHeaders,
    maxRetries: 0,
    fetch: fetchWithOnly(Object.keys(defaultHeaders)),
    // Its warnings quote what the endpoint sent; every failure is reported as a ModelCallError.
    logLevel: 'off',
  });
}

function errorIn(event: unknown): object | null {
  if (!isRecord(event)) return null;
  const { type, error, delta } = event;
  // Gateways send a text, or what another protocol says.
  if (type === 'error' || error)
    return isRecord(error)
      ? error
      : { message: typeof error === 'string' ? error : canonicalJson(error ?? '') };
  return isRecord(delta) ? brokenOff(delta.stop_reason) : null;
}

/** Null for connections that broke: an APIConnectionError is an APIError too, without an answer. */
function answerOf(error: unknown): RefusalAnswer | null {
  if (!(error instanceof Anthropic.APIError) || error instanceof Anthropic.APIConnectionError) return null;
  return {
    status: error.status ?? null,
    code: error.errorCode,
    type: error.type,
    param: null,
    message: answerText(error),
    headers: error.headers ?? null,
  };
}

/** The endpoint's own words; not the whole body, which may repeat the request. */
function answerText({ error, apiMessage, message }: InstanceType<typeof Anthropic.APIError>): string {
  if (typeof apiMessage === 'string') return apiMessage;
  if (typeof error === 'string') return error;
  if (isRecord(error)) return stringOr(error.message, '');
  return message.replace(/^\d{3} /, '').replace('status code (no body)', '');
}
