/** Provider for OpenAI and every endpoint that speaks its chat completions protocol (M2). */
import OpenAI from 'openai';
import { FAILURE } from '../../core/failure.js';
import { isRecord, stringOr } from '../../core/json.js';
import { type CallSite, classifyAnswer, classifyBreak, type ErrorAnswer } from '../classify.js';
import type { Endpoint } from '../endpoint.js';
import { fetchFromEndpoint } from '../endpoint-fetch.js';
import { readEventData, readText } from '../event-stream.js';
import { ModelCallError } from '../model-call-error.js';
import { outputSchema } from '../output-schemas.js';
import type { ModelDelta, ModelProvider, ModelRequest } from '../provider.js';
import { REPLY_BOUNDS } from '../reply-bounds.js';
import { publicUrl } from '../scrub.js';
import { readChunks } from './chunks.js';
import { type ChatBody, EndpointOptions, MAX_OPTION_RETRIES } from './endpoint-options.js';
import { toWireMessages, toWireTools } from './wire-messages.js';

/** Makes the provider of an endpoint that speaks chat completions. */
export function createChatProvider(at: Endpoint): ModelProvider {
  const { name, url, apiKey, keyVariable, urlVariable } = at;
  const endpoint = publicUrl(url);
  const ownOpenAi = url.hostname.endsWith('openai.com');
  const client = createClient(at);
  const endpointOptions = new EndpointOptions();

  const site = (request: Pick<ModelRequest, 'model'> & Partial<ModelRequest>): CallSite => ({
    provider: name,
    endpoint,
    model: request.model,
    keyVariable,
    urlVariable,
    secrets: apiKey === undefined ? [] : [apiKey],
    requestTexts: request.messages ? requestTexts(request.system ?? '', request.messages) : [],
  });

  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelDelta> {
    let chunks = 0;
    const hangUp = new AbortController();
    try {
      const body = toBody(request, ownOpenAi);
      const response = await open(client, endpointOptions, body, AbortSignal.any([signal, hangUp.signal]));
      const where = `${name}/${request.model} at ${endpoint}`;
      yield* readChunks(
        countChunks(chunksOf(response, hangUp), () => chunks++),
        where,
      );
      if (chunks === 0 && !signal.aborted) throw notAStream(name, endpoint, request.model, urlVariable);
    } catch (error) {
      throw toModelCallError(error, site(request), chunks);
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

/** Sends the request; leaves out options that the endpoint refuses, within this same try. */
async function open(
  client: OpenAI,
  options: EndpointOptions,
  wanted: ChatBody,
  signal: AbortSignal,
): Promise<Response> {
  for (let tries = 0; ; tries++) {
    const body = options.apply(wanted.model, wanted);
    try {
      return await client.chat.completions.create(body, { signal }).asResponse();
    } catch (error) {
      const refusal = error instanceof OpenAI.APIError && (error.status === 400 || error.status === 422);
      if (!refusal || tries >= MAX_OPTION_RETRIES) throw error;
      const said = { message: error.message, param: error.param ?? null };
      if (!options.learn(wanted.model, body, said)) throw error;
    }
  }
}

function toBody(request: ModelRequest, ownOpenAi: boolean): ChatBody {
  const schema = outputSchema(request.output, request.dialect);
  // Only OpenAI itself is known to let a reply held to a schema call tools all the same: other servers
  // constrain the reply so that it can't. An envelope may be a tool call itself, with any arguments.
  const canCallTools = ownOpenAi && request.dialect === 'component';
  const withSchema = schema !== null && (request.tools.length === 0 || canCallTools);
  const tokenLimit = ownOpenAi ? 'max_completion_tokens' : 'max_tokens';
  return {
    model: request.model,
    messages: toWireMessages(request.system, request.messages),
    stream: true,
    stream_options: { include_usage: true },
    ...(request.tools.length > 0 ? { tools: toWireTools(request.tools) } : {}),
    ...(request.tools.length > 0 && request.toolChoice !== 'auto' ? { tool_choice: request.toolChoice } : {}),
    ...(request.temperature === null ? {} : { temperature: request.temperature }),
    ...(request.topP === null ? {} : { top_p: request.topP }),
    ...(request.stop.length === 0 ? {} : { stop: request.stop }),
    ...(ownOpenAi && request.cacheKey !== null ? { prompt_cache_key: request.cacheKey } : {}),
    ...(request.maxOutputTokens === null ? {} : { [tokenLimit]: request.maxOutputTokens }),
    ...(withSchema
      ? {
          response_format: {
            type: 'json_schema',
            json_schema: { name: request.output, strict: true, schema },
          },
        }
      : {}),
  };
}

/**
 * The events of a stream, read here and not by the SDK, whose decoder has no bounds and takes time that grows
 * with the square of a line. An error event throws as an error answer does.
 */
async function* chunksOf(response: Response, hangUp: AbortController): AsyncIterable<unknown> {
  if (!response.body) return;
  const events = readEventData(response.body, REPLY_BOUNDS);
  try {
    for (;;) {
      const { value: data, done } = await events.next();
      if (done || data.startsWith('[DONE]')) return;
      if (data.trim() === '') continue;
      const chunk: unknown = JSON.parse(data);
      if (isRecord(chunk) && chunk.error) {
        const error = isRecord(chunk.error) ? chunk.error : { message: String(chunk.error) };
        throw new OpenAI.APIError(undefined, error, undefined, response.headers);
      }
      yield chunk;
    }
  } finally {
    void readRest(events, hangUp);
  }
}

/** What follows the end is read in the background, so that the connection can be used again, and not for long. */
const REST_MS = 1_000;

async function readRest(events: AsyncGenerator<unknown>, hangUp: AbortController): Promise<void> {
  const timer = setTimeout(() => hangUp.abort(), REST_MS);
  timer.unref();
  try {
    for await (const _event of events);
  } catch {
    // The reply is complete, or its failure is told.
  } finally {
    clearTimeout(timer);
  }
}

async function* countChunks<T>(chunks: AsyncIterable<T>, count: () => void): AsyncIterable<T> {
  for await (const chunk of chunks) {
    count();
    yield chunk;
  }
}

function notAStream(name: string, endpoint: string, model: string, urlVariable: string): ModelCallError {
  const message = `${name}/${model} at ${endpoint} answered without one event of a chat completion. Check ${urlVariable} (it usually ends in /v1).`;
  return new ModelCallError(FAILURE.model.badResponse, message);
}

function toModelCallError(error: unknown, site: CallSite, chunks: number): ModelCallError {
  if (error instanceof ModelCallError) return error;
  // APIConnectionError is an APIError too, without an answer.
  if (!(error instanceof OpenAI.APIError) || error instanceof OpenAI.APIConnectionError) {
    return classifyBreak(error, site, chunks);
  }
  const answer: ErrorAnswer = {
    status: error.status ?? null,
    code: error.code === null || error.code === undefined ? null : String(error.code),
    type: error.type ?? null,
    message: answerText(error),
    headers: error.headers ?? null,
  };
  return classifyAnswer(answer, site);
}

/** The endpoint's own words; not the whole body, which may repeat the request. */
function answerText(error: InstanceType<typeof OpenAI.APIError>): string {
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
