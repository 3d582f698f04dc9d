/** What the protocols of OpenAI have in common: its SDK, and how it tells failures. */
import OpenAI from 'openai';
import { canonicalJson, isRecord } from '../../core/text/json.js';
import { publicUrl } from '../classify.js';
import type { Endpoint } from '../endpoint.js';
import { fetchWithOnly } from '../endpoint-fetch.js';
import type { ModelProvider } from '../provider.js';
import { brokenOff } from '../reply/end-reasons.js';
import { createSdkProvider, type RefusalAnswer, type WireProtocol } from '../sdk-provider.js';

/** What tells a protocol of OpenAI from the other. */
export type OpenAiProtocol<Request> = Pick<
  WireProtocol<Request>,
  'answer' | 'options' | 'toBody' | 'read' | 'whole'
> & {
  send(client: OpenAI, body: Request, signal: AbortSignal): Promise<Response>;
};

/** Makes the provider of an endpoint that speaks a protocol of OpenAI. */
export function createOpenAiProvider<Request>(
  at: Endpoint,
  protocol: OpenAiProtocol<Request>,
): ModelProvider {
  const client = createClient(at);
  return createSdkProvider<Request>(at, {
    ...protocol,
    addressHint: 'it usually ends in /v1',
    send: (body, signal) => protocol.send(client, body, signal),
    list: signal => client.models.list({ signal }).asResponse(),
    answerOf: error => (isAnswer(error) ? answerOf(error) : null),
    failureIn: event => {
      const error = errorIn(event);
      return error && answerOf(new OpenAI.APIError(undefined, error, undefined, undefined));
    },
  });
}

type ApiError = InstanceType<typeof OpenAI.APIError>;

/** APIConnectionError is an APIError too, without an answer. */
function isAnswer(error: unknown): error is ApiError {
  return error instanceof OpenAI.APIError && !(error instanceof OpenAI.APIConnectionError);
}

function createClient({ apiKey, url, headers }: Endpoint): OpenAI {
  // The SDK sends the key by itself; said here too, or the environment could say otherwise.
  const authorization = apiKey === undefined ? null : `Bearer ${apiKey}`;
  const defaultHeaders = { Authorization: authorization, ...headers };
  return new OpenAI({
    baseURL: publicUrl(url),
    defaultQuery: Object.fromEntries(url.searchParams),
    // The SDK insists on a key; without one the header is left out below.
    apiKey: apiKey ?? 'none',
    // Without these the SDK would take them from the environment, behind src/shared/env.ts.
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    defaultHeaders,
    maxRetries: 0,
    fetch: fetchWithOnly(Object.keys(defaultHeaders)),
    // Its warnings quote what the endpoint sent; every failure is reported as a ModelCallError.
    logLevel: 'off',
  });
}

function errorIn(event: unknown): object | null {
  if (!isRecord(event)) return null;
  const { error } = event;
  if (error)
    return isRecord(error) ? error : { message: typeof error === 'string' ? error : canonicalJson(error) };
  // The form of vLLM's earlier versions.
  if (event.type === 'error' || event.object === 'error') return event;
  return givenUp(event);
}

/** In an event that looks like one of a reply. */
function givenUp({ type, response, choices }: Record<string, unknown>): object | null {
  if (typeof type === 'string' && type.startsWith('response.')) {
    const { status, error } = isRecord(response) ? response : {};
    const end = ['failed', 'cancelled'].find(given => type === `response.${given}` || status === given);
    if (end === undefined) return null;
    return isRecord(error) ? error : { message: `The response was ended as ${end}.` };
  }
  const reasons = Array.isArray(choices)
    ? choices.map(choice => isRecord(choice) && choice.finish_reason)
    : [];
  return reasons.map(brokenOff).find(told => told !== null) ?? null;
}

function answerOf(error: ApiError): RefusalAnswer {
  return {
    status: error.status ?? null,
    code: error.code === null || error.code === undefined ? null : String(error.code),
    type: error.type ?? null,
    param: typeof error.param === 'string' ? error.param : null,
    message: answerText(error),
    headers: error.headers ?? null,
  };
}

/** The endpoint's own words; not the whole body, which may repeat the request. */
function answerText(error: ApiError): string {
  const body: unknown = error.error;
  if (typeof body === 'string') return body;
  if (typeof body === 'object' && body !== null) {
    if ('message' in body && typeof body.message === 'string') return body.message;
    return '';
  }
  return error.message.replace(/^\d{3} /, '').replace('status code (no body)', '');
}
