/** Provider for every endpoint that speaks OpenAI's chat completions. */
import type OpenAI from 'openai';
import type { Endpoint } from '../endpoint.js';
import { createOpenAiProvider } from '../openai/openai-provider.js';
import { toEffort } from '../openai/reasoning-effort.js';
import type { ModelProvider, ModelRequest } from '../provider.js';
import { schemaOf } from '../request/output-schemas.js';
import { readChunks } from './chunks.js';
import { CHAT_OPTIONS } from './quirks.js';
import { toWireMessages, toWireTools } from './wire-messages.js';

export type ChatBody = OpenAI.Chat.ChatCompletionCreateParams;

/** Makes the provider of an endpoint that speaks chat completions. */
export function createChatProvider(at: Endpoint): ModelProvider {
  const ownOpenAi = at.url.hostname.endsWith('openai.com');
  return createOpenAiProvider<ChatBody>(at, {
    answer: 'a chat completion',
    options: CHAT_OPTIONS,
    toBody: request => toChatBody(at.name, request, ownOpenAi),
    send: (client, body, signal) => client.chat.completions.create(body, { signal }).asResponse(),
    read: readChunks,
    whole: body => [body],
  });
}

/** `endpoint`: the name of it, the first segment of model ids. */
export function toChatBody(endpoint: string, request: ModelRequest, ownOpenAi: boolean): ChatBody {
  const schema = schemaOf(request);
  // Only OpenAI itself is known to let a reply held to a schema call tools all the same: other servers
  // constrain the reply so that it can't. An envelope may be a tool call itself, with any arguments.
  const canCallTools = ownOpenAi && request.dialect === 'component';
  const withSchema = schema !== null && (request.tools.length === 0 || canCallTools);
  const tokenLimit = ownOpenAi ? 'max_completion_tokens' : 'max_tokens';
  return {
    model: request.model,
    messages: toWireMessages(
      `${endpoint}/${request.model}`,
      request.system,
      request.messages,
      request.pictures,
    ),
    ...(request.streaming === false
      ? { stream: false }
      : { stream: true, stream_options: { include_usage: true } }),
    ...(request.tools.length > 0 ? { tools: toWireTools(request.tools) } : {}),
    ...(request.tools.length > 0 && request.toolChoice !== 'auto' ? { tool_choice: request.toolChoice } : {}),
    ...(request.temperature === null ? {} : { temperature: request.temperature }),
    ...(request.topP === null ? {} : { top_p: request.topP }),
    ...(request.reasoning === null ? {} : { reasoning_effort: toEffort(request.reasoning) }),
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
