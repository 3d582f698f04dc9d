/** Provider for OpenAI's Responses API, used without stored state: each request sends everything. */
import type OpenAI from 'openai';
import { createOpenAiProvider, effortOption, toEffort } from '../openai/openai-provider.js';
import type { Endpoint } from '../provider/endpoint.js';
import type { EndpointProvider, ModelRequest } from '../provider/provider.js';
import { CONVERSATIONS, OPTIONS } from '../refusals/option-words.js';
import { type RefusableOption, withoutNothing } from '../refusals/refused-options.js';
import { INTERRUPTED_NOTE } from '../request/message-text.js';
import { schemaOf, wantsJson } from '../request/output-schemas.js';
import { readResponse, wholeResponse } from './read-events.js';
import { toWireInput, toWireTool } from './wire-input.js';

type ResponsesBody = OpenAI.Responses.ResponseCreateParams;

export function createResponsesProvider(at: Endpoint): EndpointProvider {
  return createOpenAiProvider<ResponsesBody>(at, {
    answer: 'a response',
    options: RESPONSES_OPTIONS,
    toBody: request => toResponsesBody(at.name, request),
    send: (client, body, signal) => client.responses.create(body, { signal }).asResponse(),
    read: readResponse,
    whole: wholeResponse,
  });
}

export function toResponsesBody(endpoint: string, request: ModelRequest): ResponsesBody {
  const { model, system, tools, toolChoice } = request;
  const bound = schemaOf(request);
  const heldTo = tools.length === 0 || bound?.beside ? bound : null;
  const hasTools = tools.length > 0;
  return withoutNothing<ResponsesBody>({
    model,
    // They precede all messages and are the same in every request of a prefix, so a cached prefix begins with them.
    instructions: system || null,
    input: toWireInput(`${endpoint}/${model}`, request.messages, request.pictures),
    stream: request.streaming !== false,
    store: false,
    include: ['reasoning.encrypted_content'],
    reasoning: {
      summary: 'auto',
      ...(request.reasoning && { effort: toEffort(request.reasoning) }),
    },
    tools: hasTools ? tools.map(toWireTool) : null,
    parallel_tool_calls: hasTools || null,
    tool_choice: hasTools && toolChoice !== 'auto' ? toolChoice : null,
    temperature: request.temperature,
    top_p: request.topP,
    prompt_cache_key: request.cacheKey,
    max_output_tokens: request.maxOutputTokens,
    text: heldTo
      ? { format: { type: 'json_schema', name: heldTo.name, strict: heldTo.strict, schema: heldTo.schema } }
      : wantsJson(request) && { format: { type: 'json_object' } },
  });
}

/** Models without reasoning refuse reasoning options; those with reasoning refuse sampling options. */
const RESPONSES_OPTIONS: readonly RefusableOption[] = [
  { path: 'include', words: OPTIONS.encrypted },
  { path: 'reasoning.summary', words: OPTIONS.summary },
  effortOption('reasoning.effort'),
  { path: 'temperature' },
  { path: 'top_p' },
  { path: 'tool_choice' },
  { path: 'parallel_tool_calls' },
  { path: 'prompt_cache_key' },
  { path: 'max_output_tokens' },
  {
    path: 'text.format',
    words: OPTIONS.responsesForm,
    instead: [{ path: 'text.format', value: () => ({ type: 'json_object' }) }],
  },
  { path: 'store' },
  // OpenAI's models since GPT-5.3 stop early if a remark next to calls is sent back as if it had been the answer.
  {
    path: 'input',
    key: 'phases',
    byWords: true,
    hosts: /(^|\.)openai\.com$/,
    instead: [{ path: 'input', value: withPhases }],
  },
  {
    path: 'input',
    key: 'no reasoning',
    words: CONVERSATIONS.badEncrypted,
    instead: [{ path: 'input', value: withoutReasoning }],
    byWords: true,
    once: true,
  },
];

/** Says of each text of a reply whether it was the answer. Models that know no phases ignore them. */
function withPhases(input: unknown): unknown {
  if (!Array.isArray(input)) return input;
  return input.map((item, at) => {
    if (item?.role !== 'assistant') return item;
    const next = input.slice(at + 1).find(({ role, type }) => role !== 'assistant' && type !== 'reasoning');
    const isAnswer = next?.type !== 'function_call' && !String(item.content).endsWith(INTERRUPTED_NOTE);
    return { ...item, phase: isAnswer ? 'final_answer' : 'commentary' };
  });
}

function withoutReasoning(input: unknown): unknown {
  return Array.isArray(input) ? input.filter(item => item?.type !== 'reasoning') : input;
}
