/** What the protocols of OpenAI have in common, through its SDK: one request, its events, its failures. */
import OpenAI from 'openai';
import { FAILURE } from '../../core/failure.js';
import { isRecord, stringOr } from '../../core/json.js';
import { type CallSite, classifyAnswer, classifyBreak, type ErrorAnswer } from '../classify.js';
import type { Endpoint } from '../endpoint.js';
import { fetchFromEndpoint } from '../endpoint-fetch.js';
import { readText } from '../event-stream.js';
import { jsonEvents } from '../json-events.js';
import { ModelCallError } from '../model-call-error.js';
import type { ModelDelta, ModelProvider, ModelRequest } from '../provider.js';
import { type Body, type RefusableOption, RefusedOptions } from '../refused-options.js';
import { REPLY_BOUNDS } from '../reply-bounds.js';
import { publicUrl } from '../scrub.js';

/** What tells a protocol from the other. */
export interface OpenAiProtocol<Request> {
  /** What an answer is, for messages: `a chat completion`. */
  answer: string;
  /** Options that not every model takes. */
  options: readonly RefusableOption[];
  toBody(request: ModelRequest): Request & object;
  send(client: OpenAI, body: Request, signal: AbortSignal): Promise<Response>;
  /** `where` the model is, for messages. */
  read(events: AsyncIterable<unknown>, where: string, request: ModelRequest): AsyncIterable<ModelDelta>;
}

/** Makes the provider of an endpoint that speaks a protocol of OpenAI. */
export function createOpenAiProvider<Request>(
  at: Endpoint,
  protocol: OpenAiProtocol<Request>,
): ModelProvider {
  const { name, url, apiKey, keyVariable, urlVariable } = at;
  const endpoint = publicUrl(url);
  const client = createClient(at);
  const refused = new RefusedOptions(protocol.options, url.hostname);

  const site = (request: Pick<ModelRequest, 'model'> & Partial<ModelRequest>): CallSite => ({
    provider: name,
    endpoint,
    model: request.model,
    keyVariable,
    urlVariable,
    secrets: apiKey === undefined ? [] : [apiKey],
    requestTexts: request.messages ? requestTexts(request.system ?? '', request.messages) : [],
  });

  /** Sends the request; leaves out what the endpoint refuses, within this same try. */
  async function send(request: ModelRequest, signal: AbortSignal): Promise<Response> {
    const sent = refused.request(request, protocol.toBody(request) as Body);
    for (;;) {
      try {
        return await protocol.send(client, sent.body as Request, signal);
      } catch (error) {
        const status = error instanceof OpenAI.APIError ? error.status : undefined;
        if (!isRefusal(status) || !sent.learn({ ...answerOf(error as APIError), status })) throw error;
      }
    }
  }

  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelDelta> {
    let count = 0;
    const hangUp = new AbortController();
    try {
      const response = await send(request, AbortSignal.any([signal, hangUp.signal]));
      const events = eventsOf(response, hangUp, () => count++);
      const where = `${name}/${request.model} at ${endpoint}`;
      yield* protocol.read(events, where, request);
      if (count === 0 && !signal.aborted) throw notAStream(where, protocol.answer, urlVariable);
    } catch (error) {
      throw toModelCallError(error, site(request), count);
    }
  }

  async function listModels(signal: AbortSignal): Promise<string[]> {
    try {
      const response = await client.models.list({ signal }).asResponse();
      const page: unknown = JSON.parse(await readText(response.body, REPLY_BOUNDS.listBytes));
      const models = isRecord(page) && Array.isArray(page.data) ? page.data : [];
      return models.map(model => (isRecord(model) ? stringOr(model.id, '') : '')).filter(id => id !== '');
    } catch (error) {
      throw toModelCallError(error, site({ model: '*' }), 0);
    }
  }

  return { name, endpoint, stream, listModels };
}

function isRefusal(status: number | undefined): status is number {
  return status === 400 || status === 422 || status === 500;
}

function createClient({ apiKey, url, headers }: Endpoint): OpenAI {
  return new OpenAI({
    baseURL: publicUrl(url),
    defaultQuery: Object.fromEntries(url.searchParams),
    // The SDK insists on a key; without one the header is left out below.
    apiKey: apiKey ?? 'none',
    // Without these the SDK would take them from the environment, behind src/shared/env.ts.
    adminAPIKey: null,
    webhookSecret: null,
    defaultHeaders: { ...headers, ...(apiKey === undefined ? { Authorization: null } : {}) },
    maxRetries: 0,
    fetch: fetchFromEndpoint,
    // Its warnings quote what the endpoint sent; every failure is reported as a ModelCallError.
    logLevel: 'off',
  });
}

/** An error event throws as an error answer does. */
async function* eventsOf(
  response: Response,
  hangUp: AbortController,
  count: () => void,
): AsyncIterable<unknown> {
  for await (const event of jsonEvents(response, hangUp)) {
    const error = errorIn(event);
    if (error) throw new OpenAI.APIError(undefined, error, undefined, response.headers);
    count();
    yield event;
  }
}

function errorIn(event: unknown): object | null {
  if (!isRecord(event)) return null;
  if (event.error) return isRecord(event.error) ? event.error : { message: String(event.error) };
  if (event.type === 'error') return event;
  if (event.type !== 'response.failed' || !isRecord(event.response)) return null;
  return isRecord(event.response.error) ? event.response.error : { message: 'The response failed.' };
}

function notAStream(where: string, answer: string, urlVariable: string): ModelCallError {
  const message = `${where} answered without one event of ${answer}. Check ${urlVariable} (it usually ends in /v1).`;
  return new ModelCallError(FAILURE.model.badResponse, message);
}

function toModelCallError(error: unknown, site: CallSite, events: number): ModelCallError {
  if (error instanceof ModelCallError) return error;
  // APIConnectionError is an APIError too, without an answer.
  if (!(error instanceof OpenAI.APIError) || error instanceof OpenAI.APIConnectionError) {
    return classifyBreak(error, site, events);
  }
  return classifyAnswer(answerOf(error), site);
}

type APIError = InstanceType<typeof OpenAI.APIError>;

function answerOf(error: APIError): ErrorAnswer & { param: string | null } {
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
function answerText(error: APIError): string {
  const body: unknown = error.error;
  if (typeof body === 'string') return body;
  if (typeof body === 'object' && body !== null) {
    if ('message' in body && typeof body.message === 'string') return body.message;
    return '';
  }
  return error.message.replace(/^\d{3} /, '').replace('status code (no body)', '');
}

function requestTexts(system: string, messages: ModelRequest['messages']): string[] {
  const texts = system === '' ? [] : [system];
  for (const message of messages) {
    for (const block of message.content) if (block.type === 'text') texts.push(block.text);
  }
  return texts;
}
