/** What all providers do alike, whatever the protocol and its SDK: one request, its events, its failures. */
import { FAILURE } from '../core/limits/failure.js';
import { canonicalJson, isRecord, stringOr } from '../core/text/json.js';
import { type CallSite, classifyAnswer, classifyBreak, type ErrorAnswer, publicUrl } from './classify.js';
import type { Endpoint } from './endpoint.js';
import { fetchWithOnly } from './endpoint-fetch.js';
import { ModelCallError } from './model-call-error.js';
import type { ModelDelta, ModelProvider, ModelRequest } from './provider.js';
import { readText } from './reply/event-stream.js';
import { jsonEvents } from './reply/json-events.js';
import { REPLY_BOUNDS } from './reply/reply-bounds.js';
import { type Body, type RefusableOption, RefusedOptions } from './request/refused-options.js';

export type RefusalAnswer = ErrorAnswer & { param: string | null };

export interface WireProtocol<Request> {
  /** What an answer is, for messages: `a chat completion`. */
  answer: string;
  /** How its addresses end, for messages: `it usually ends in /v1`. */
  addressHint: string;
  options: readonly RefusableOption[];
  toBody(request: ModelRequest): Request & object;
  send(body: Request, signal: AbortSignal): Promise<Response>;
  /** The first page of the endpoint's models, as `{ "data": [{ "id" }] }`. */
  list(signal: AbortSignal): Promise<Response>;
  read(events: AsyncIterable<unknown>): AsyncIterable<ModelDelta>;
  /** The events of a stream that a whole reply stands for, where an endpoint does not stream. */
  whole(body: unknown): unknown[];
  /** What the endpoint answered, of an error that the SDK threw; null where there was no answer. */
  answerOf(error: unknown): RefusalAnswer | null;
  /** The failure that an event of a stream tells; null for every other event. */
  failureIn(event: unknown): ErrorAnswer | null;
}

const REFUSALS: ReadonlySet<number> = new Set([400, 422, 500]);

export function createSdkProvider<Request>(at: Endpoint, protocol: WireProtocol<Request>): ModelProvider {
  const { name, url, apiKey, keyVariable, urlVariable, ownAddress } = at;
  const endpoint = publicUrl(url);
  const refused = new RefusedOptions(protocol.options, { endpoint: name, host: url.hostname });

  const site = (request: Pick<ModelRequest, 'model'> & Partial<ModelRequest>): CallSite => ({
    provider: name,
    endpoint,
    model: request.model,
    keyVariable,
    urlVariable,
    ownAddress,
    addressHint: protocol.addressHint,
    secrets: apiKey === undefined ? [] : [apiKey],
    requestTexts: request.messages ? requestTexts(request.system ?? '', request.messages) : [],
  });

  /** Sends the request; leaves out what the endpoint refuses, within this same try. */
  async function send(request: ModelRequest, signal: AbortSignal): Promise<Response> {
    const sent = refused.request(request, protocol.toBody(request) as Body);
    for (;;) {
      try {
        return await protocol.send(sent.body as Request, signal);
      } catch (error) {
        const answer = protocol.answerOf(error);
        const status = answer?.status ?? 0;
        if (!answer || !REFUSALS.has(status) || !sent.learn({ ...answer, status })) throw error;
      }
    }
  }

  /** An event that tells a failure throws as an error answer does. */
  async function* eventsOf(
    response: Response,
    hangUp: AbortController,
    request: ModelRequest,
  ): AsyncIterable<unknown> {
    for await (const event of jsonEvents(response, hangUp, protocol.whole)) {
      const failure = protocol.failureIn(event);
      if (failure) throw classifyAnswer({ ...failure, headers: response.headers }, site(request));
      yield event;
    }
  }

  async function* stream(
    request: ModelRequest,
    signal: AbortSignal,
    onEvent?: () => void,
  ): AsyncIterable<ModelDelta> {
    let count = 0;
    const counts = () => {
      count += 1;
      onEvent?.();
    };
    const hangUp = new AbortController();
    try {
      const response = await send(request, AbortSignal.any([signal, hangUp.signal]));
      const events = counted(eventsOf(response, hangUp, request), counts);
      yield* protocol.read(events);
      if (count === 0 && !signal.aborted)
        throw notAStream(`${name}/${request.model} at ${endpoint}`, protocol, urlVariable);
    } catch (error) {
      throw toModelCallError(error, protocol.answerOf(error), site(request), count);
    }
  }

  async function listModels(signal: AbortSignal): Promise<string[]> {
    try {
      const response = await protocol.list(signal);
      const page: unknown = JSON.parse(await readText(response.body, REPLY_BOUNDS.listBytes));
      const models = isRecord(page) && Array.isArray(page.data) ? page.data : [];
      return models.map(model => (isRecord(model) ? stringOr(model.id, '') : '')).filter(id => id !== '');
    } catch (error) {
      throw toModelCallError(error, protocol.answerOf(error), site({ model: '*' }), 0);
    }
  }

  return { name, endpoint, stream, listModels };
}

async function* counted(events: AsyncIterable<unknown>, count: () => void): AsyncIterable<unknown> {
  for await (const event of events) {
    count();
    yield event;
  }
}

function notAStream(
  where: string,
  { answer, addressHint }: Pick<WireProtocol<never>, 'answer' | 'addressHint'>,
  urlVariable: string,
): ModelCallError {
  const message = `${where} answered without one event of ${answer}. Check ${urlVariable} (${addressHint}).`;
  return new ModelCallError(FAILURE.model.badResponse, message);
}

function toModelCallError(
  error: unknown,
  answer: ErrorAnswer | null,
  site: CallSite,
  events: number,
): ModelCallError {
  if (error instanceof ModelCallError) return error;
  return answer ? classifyAnswer(answer, site) : classifyBreak(error, site, events);
}

function requestTexts(system: string, messages: ModelRequest['messages']): string[] {
  const texts = system === '' ? [] : [system];
  for (const message of messages) {
    for (const block of message.content) if (block.type === 'text') texts.push(block.text);
  }
  return texts;
}

// What the SDKs of all protocols are given and throw alike.

/** `keyHeaders`: said here too, or the environment could say otherwise than the SDK does by itself. */
export function clientOptions(
  { apiKey, url, headers }: Endpoint,
  keyHeaders: Readonly<Record<string, string | null>>,
) {
  const defaultHeaders = { ...keyHeaders, ...headers };
  return {
    defaultQuery: Object.fromEntries(url.searchParams),
    // The SDKs insist on a key, or look for one elsewhere; without one its header is left out.
    apiKey: apiKey ?? 'none',
    defaultHeaders,
    maxRetries: 0,
    fetch: fetchWithOnly(Object.keys(defaultHeaders)),
    // Warnings quote what the endpoint sent; every failure is reported as a ModelCallError.
    logLevel: 'off' as const,
  };
}

/** What an event says that is an error: gateways send a text, or what another protocol says. */
export function errorObject(error: unknown): object {
  if (isRecord(error)) return error;
  return { message: typeof error === 'string' ? error : canonicalJson(error ?? '') };
}

/** The endpoint's own words in what an SDK threw; not the whole body, which may repeat the request. */
export function answerText(body: unknown, message: string): string {
  if (typeof body === 'string') return body;
  if (isRecord(body)) return stringOr(body.message, '');
  return message.replace(/^\d{3} /, '').replace('status code (no body)', '');
}
