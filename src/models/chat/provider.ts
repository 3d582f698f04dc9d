/** Provider for every endpoint that speaks OpenAI's chat completions. */
import type OpenAI from 'openai';
import { createOpenAiProvider, toEffort } from '../openai/openai-provider.js';
import type { Endpoint } from '../provider/endpoint.js';
import type { EndpointProvider, ModelRequest } from '../provider/provider.js';
import { withoutNothing } from '../refusals/refused-options.js';
import { schemaOf, wantsJson } from '../request/output-schemas.js';
import { wantsMarks, withCacheMarks } from './cache-marks.js';
import { readChunks } from './chunks.js';
import { CHAT_OPTIONS } from './quirks.js';
import { toWireMessages, toWireTools } from './wire-messages.js';

export type ChatBody = OpenAI.Chat.ChatCompletionCreateParams;

export function createChatProvider(at: Endpoint): EndpointProvider {
  const place = { name: at.name, host: at.url.hostname };
  return createOpenAiProvider<ChatBody>(at, {
    answer: 'a chat completion',
    options: CHAT_OPTIONS,
    toBody: request => toChatBody(place, request),
    send: (client, body, signal) => client.chat.completions.create(body, { signal }).asResponse(),
    read: readChunks,
    whole: body => [body],
  });
}

interface Place {
  /** Name of the endpoint. */
  name: string;
  host: string;
}

export function toChatBody({ name, host }: Place, request: ModelRequest): ChatBody {
  const ownOpenAi = host.endsWith('openai.com');
  const bound = schemaOf(request);
  // Only OpenAI itself is known to allow tool calls in a reply that is bound to a schema. Other servers constrain the
  // reply so that it can't call tools. An envelope may itself be a tool call with any arguments.
  const canCallTools = ownOpenAi && request.dialect === 'component';
  const { tools, toolChoice, stop } = request;
  const hasTools = tools.length > 0;
  const heldTo = hasTools && !canCallTools && !bound?.beside ? null : bound;
  const streams = request.streaming !== false;
  const modelId = `${name}/${request.model}`;
  const messages = toWireMessages(modelId, request.system, request.messages, request.pictures);
  return withoutNothing<ChatBody>({
    model: request.model,
    messages: wantsMarks(request.model) ? withCacheMarks(messages, host) : messages,
    stream: streams,
    stream_options: streams ? { include_usage: true } : null,
    tools: hasTools ? toWireTools(tools) : null,
    tool_choice: hasTools && toolChoice !== 'auto' ? toolChoice : null,
    temperature: request.temperature,
    top_p: request.topP,
    reasoning_effort: request.reasoning && toEffort(request.reasoning),
    stop: stop.length === 0 ? null : stop,
    prompt_cache_key: ownOpenAi ? request.cacheKey : null,
    [ownOpenAi ? 'max_completion_tokens' : 'max_tokens']: request.maxOutputTokens,
    response_format: heldTo
      ? {
          type: 'json_schema',
          json_schema: { name: heldTo.name, strict: heldTo.strict, schema: heldTo.schema },
        }
      : wantsJson(request) && { type: 'json_object' },
  });
}
