/** The common part of all providers: send one request, read its events, classify its failures. */

import { canonicalJson, isRecord, stringOr, wellFormed } from '../../base/json/json.js';
import { FAILURE } from '../../run/limits/failure.js';
import { textOf, toolCallsOf } from '../../run/messages/message.js';
import type { Endpoint } from '../provider/endpoint.js';
import { ModelCallError } from '../provider/model-call-error.js';
import {
  type EndpointProvider,
  type ModelDelta,
  type ModelRequest,
  PLAIN_REQUEST,
} from '../provider/provider.js';
import { errorOfEvent, type PlainError, plainError } from '../refusals/error-body.js';
import { Lessons } from '../refusals/lessons.js';
import type { Body, RefusableOption } from '../refusals/refused-options.js';
import { readText } from '../reply/event-stream.js';
import { jsonEvents, startingWith } from '../reply/json-events.js';
import { REPLY_BOUNDS } from '../reply/reply-bounds.js';
import { NO_PICTURES, picturesOf } from '../request/message-text.js';
import {
  type CallSite,
  classifyAnswer,
  classifyBreak,
  type ErrorAnswer,
  publicUrl,
  quoteOf,
  statusOf,
} from './classify.js';
import { fetchWithOnly } from './endpoint-fetch.js';

export type RefusalAnswer = ErrorAnswer & { param: string | null };

export interface WireProtocol<Request> {
  /** The kind of answer, for messages: `a chat completion`. */
  answer: string;
  /** Advice about the usual ending of its addresses, for messages: `it usually ends in /v1`. */
  addressHint: string;
  options: readonly RefusableOption[];
  toBody(request: ModelRequest): Request & object;
  send(body: Request, signal: AbortSignal): Promise<Response>;
  /** Requests the first page of the endpoint's models, as `{ "data": [{ "id" }] }`. */
  list(signal: AbortSignal): Promise<Response>;
  read(events: AsyncIterable<unknown>): AsyncIterable<ModelDelta>;
  /** Converts a whole reply into stream events, for endpoints that do not stream. */
  whole(body: unknown): unknown[];
  /** Returns the endpoint's answer from an error that the SDK threw; null if there was no answer. */
  answerOf(error: unknown): RefusalAnswer | null;
  /** Returns the failure that a stream event reports; null for every other event. */
  failureIn(event: unknown): RefusalAnswer | null;
}

/** Carries the failure that a stream event reported. */
class FailedStream extends Error {
  readonly answer: RefusalAnswer;

  constructor(answer: RefusalAnswer) {
    super(answer.message);
    this.answer = answer;
  }
}

/** Statuses that may concern the content of a request, not the caller or the moment. */
const REFUSALS: ReadonlySet<number> = new Set([400, 402, 404, 413, 415, 422, 500, 501]);

export function createSdkProvider<Request>(at: Endpoint, protocol: WireProtocol<Request>): EndpointProvider {
  const provider = new SdkProvider(at, protocol);
  const { name, endpoint } = provider;
  // Methods are bound to an object literal, because callers extend a provider by spreading it.
  return {
    name,
    endpoint,
    stream: (request, signal = new AbortController().signal, onEvent) =>
      provider.stream({ ...PLAIN_REQUEST, ...request }, signal, onEvent),
    listModels: signal => provider.listModels(signal),
  };
}

class SdkProvider<Request> {
  readonly name: string;
  readonly endpoint: string;
  readonly #at: Endpoint;
  readonly #protocol: WireProtocol<Request>;
  readonly #lessons: Lessons;

  constructor(at: Endpoint, protocol: WireProtocol<Request>) {
    this.name = at.name;
    this.endpoint = publicUrl(at.url);
    this.#at = at;
    this.#protocol = protocol;
    this.#lessons = new Lessons(protocol.options, { endpoint: at.name, host: at.url.hostname });
  }

  async *stream(request: ModelRequest, signal: AbortSignal, onEvent?: () => void): AsyncIterable<ModelDelta> {
    let count = 0;
    let told: PlainError | null = null;
    const look = (event: unknown) => {
      count += 1;
      if (isRecord(event)) told = errorOfEvent(event) ?? told;
      onEvent?.();
    };
    try {
      const reply = await this.#taken(request, signal);
      for (const lesson of reply.lessons) yield { type: 'lesson', lesson };
      let hasEnd = false;
      for await (const delta of this.#protocol.read(lookedAt(reply.events, look))) {
        hasEnd ||= delta.type === 'end';
        yield delta;
      }
      const failure = told && !hasEnd && this.#protocol.failureIn({ error: told });
      if (failure) throw new FailedStream(failure);
      if (count === 0 && !signal.aborted)
        throw notAStream(
          `${this.name}/${request.model} at ${this.endpoint}`,
          this.#protocol,
          this.#at.urlVariable,
        );
    } catch (error) {
      throw toModelCallError(error, this.#answerOf(error), this.#site(request), count);
    }
  }

  async listModels(signal: AbortSignal): Promise<string[]> {
    try {
      const response = await this.#protocol.list(signal);
      const page: unknown = JSON.parse(await readText(response.body, REPLY_BOUNDS.listBytes));
      const models = isRecord(page) && Array.isArray(page.data) ? page.data : [];
      return models.map(model => (isRecord(model) ? stringOr(model.id, '') : '')).filter(id => id !== '');
    } catch (error) {
      throw toModelCallError(error, this.#protocol.answerOf(error), this.#site({ model: null }), 0);
    }
  }

  #site(request: Pick<CallSite, 'model'> & Partial<Omit<ModelRequest, 'model'>>): CallSite {
    const { apiKey, headers, keyVariable, urlVariable, ownAddress } = this.#at;
    return {
      provider: this.name,
      endpoint: this.endpoint,
      model: request.model,
      hasKey: apiKey !== undefined || Object.keys(headers).length > 0,
      keyVariable,
      urlVariable,
      ownAddress,
      addressHint: this.#protocol.addressHint,
      secrets: apiKey === undefined ? [] : [apiKey],
      requestTexts: request.messages ? requestTexts(request.system ?? '', request.messages) : [],
      requestChars: JSON.stringify([request.system, request.tools, request.messages]).length,
    };
  }

  /** Sends the request, changed as refusals ask, within the same attempt, until it is accepted or finally refused. */
  async #taken(given: ModelRequest, signal: AbortSignal) {
    const request = { ...given, messages: withoutEmpty(given) };
    const call = this.#lessons.call(request, wanted => this.#bodyOf(wanted));
    for (;;) {
      const hangUp = new AbortController();
      try {
        const body = wellFormed(call.body) as Request;
        const response = await this.#protocol.send(body, AbortSignal.any([signal, hangUp.signal]));
        const events = this.#eventsOf(response, hangUp)[Symbol.asyncIterator]();
        // Some endpoints send a refusal as the first event of a stream.
        const first = await events.next();
        const read = first.done ? [] : [first.value];
        return { events: startingWith(read, events), lessons: call.taken() };
      } catch (error) {
        const answer = this.#answerOf(error);
        const site = this.#site(request);
        const status = answer === null ? 0 : statusOf(answer, site);
        const quote = answer && quoteOf(answer.message, site);
        if (!answer || !REFUSALS.has(status) || !call.learn({ ...answer, status }, quote ?? '')) throw error;
      }
    }
  }

  #bodyOf(request: ModelRequest): Body {
    return { ...(this.#protocol.toBody(request) as Body), ...this.#at.extraBody };
  }

  /** An event that reports a failure throws, like an error answer. */
  async *#eventsOf(response: Response, hangUp: AbortController): AsyncGenerator<unknown, void> {
    for await (const event of jsonEvents(response, hangUp, this.#protocol.whole)) {
      const failure = this.#protocol.failureIn(event);
      if (failure) throw new FailedStream({ ...failure, headers: response.headers });
      yield event;
    }
  }

  #answerOf(error: unknown): RefusalAnswer | null {
    return error instanceof FailedStream ? error.answer : this.#protocol.answerOf(error);
  }
}

/** Drops empty messages, because endpoints refuse them. */
function withoutEmpty({ messages, pictures = NO_PICTURES }: ModelRequest): ModelRequest['messages'] {
  const said = messages.filter(message => {
    if (textOf(message).trim() !== '' || message.kind === 'tool_result') return true;
    if (message.kind !== 'assistant') return picturesOf(message, pictures).length > 0;
    return toolCallsOf(message).length > 0 || message.stopReason === 'interrupted';
  });
  return said.length === 0 ? messages : said;
}

async function* lookedAt(
  events: AsyncIterable<unknown>,
  look: (event: unknown) => void,
): AsyncIterable<unknown> {
  for await (const event of events) {
    look(event);
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

// Options and errors that the SDKs of all protocols share.

/** `keyHeaders` override the SDK's own key headers, because the environment could otherwise change them. */
export function clientOptions(
  { apiKey, url, headers }: Endpoint,
  keyHeaders: Readonly<Record<string, string | null>>,
) {
  const defaultHeaders = { ...keyHeaders, ...headers };
  return {
    defaultQuery: Object.fromEntries(url.searchParams),
    // The SDKs require a key or search the environment for one. An unused key's header is removed.
    apiKey: apiKey ?? 'none',
    defaultHeaders,
    maxRetries: 0,
    fetch: fetchWithOnly(Object.keys(defaultHeaders)),
    // Warnings would quote the endpoint's answer; every failure is reported as a ModelCallError anyway.
    logLevel: 'off' as const,
  };
}

/** Returns the error that an event contains. Gateways send a text, or the error form of another protocol. */
export function errorObject(error: unknown): object {
  if (!isRecord(error)) return { message: typeof error === 'string' ? error : canonicalJson(error ?? '') };
  const { code } = error;
  const plain = plainError(error);
  // In a stream the code takes the place of the status.
  return { ...plain, code: Number(code) >= 400 ? code : plain.code };
}

/** Returns the wait that the body of an error asks for, milliseconds, in the form of `plainError`; null if it names none. */
export function waitOf(error: unknown): number | null {
  return isRecord(error) && typeof error.wait_ms === 'number' ? error.wait_ms : null;
}

/** Returns the endpoint's own words from an error of the SDK, without the rest of the body, which may repeat the request. */
export function answerText(body: unknown, message: string): string {
  if (typeof body === 'string') return body;
  if (isRecord(body)) return stringOr(body.message, '');
  return message.replace(/^\d{3} /, '').replace('status code (no body)', '');
}
