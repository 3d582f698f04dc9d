/** The protocol chat completions, of OpenAI and many other servers: https://platform.openai.com/docs/api-reference/chat */
import type { Json, ModelProtocol, WireBody } from './model-server.js';
import type { Frame, FrameStream } from './play.js';
import { chunksOf, type FullReply, type ScriptedStop, type WireError, withCallId } from './scripted-reply.js';

export const CHAT: ModelProtocol = {
  path: '/v1/chat/completions',
  toChat: body =>
    typeof body.model === 'string' && Array.isArray(body.messages) ? (body as WireBody) : null,
  error: openAiError,
};

/** https://platform.openai.com/docs/guides/error-codes */
export function openAiError({
  status,
  message = `HTTP ${status}`,
  type = typeOf(status),
  code = null,
  param = null,
}: WireError): object {
  return { error: { message, type, param, code } };
}

function typeOf(status: number): string {
  if (status === 429) return 'rate_limit_exceeded';
  return status >= 400 && status < 500 ? 'invalid_request_error' : 'server_error';
}

const FINISH_REASONS: Record<ScriptedStop, string> = {
  end_turn: 'stop',
  tool_use: 'tool_calls',
  max_tokens: 'length',
  content_filter: 'content_filter',
  refusal: 'stop',
};

/** Usage is sent only to a client that asked for it. */
export function chatStream(reply: FullReply, body: Json): FrameStream {
  const options = body.stream_options as { include_usage?: boolean } | null | undefined;
  const withUsage = options?.include_usage === true;
  const frame = (part: object): Frame => ({
    data: { ...headOf(reply, 'chat.completion.chunk'), ...(withUsage ? { usage: null } : {}), ...part },
  });
  const choice = (delta: object, finish: string | null): Frame =>
    frame({ choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }] });
  const { usage } = reply;
  return {
    head: [choice({ role: 'assistant', content: '', refusal: null }, null)],
    chunks: deltasOf(reply).map(delta => [choice(delta, null)]),
    tail: [
      choice({}, FINISH_REASONS[reply.stopReason]),
      ...(usage && withUsage ? [frame({ choices: [], usage: usageOf(usage) })] : []),
      { data: '[DONE]' },
    ],
  };
}

function deltasOf(reply: FullReply): object[] {
  const text = reply.stopReason === 'refusal' ? 'refusal' : 'content';
  return [
    // Most endpoints with reasoning use this field; OpenAI's own endpoint shows no reasoning here.
    ...chunksOf(reply.reasoning, reply.chunkChars).map(part => ({ reasoning_content: part })),
    ...chunksOf(reply.text, reply.chunkChars).map(part => ({ [text]: part })),
    ...toolCallsOf(reply).flatMap(({ function: { name, arguments: text }, ...call }, index) => [
      { tool_calls: [{ index, ...call, function: { name, arguments: '' } }] },
      ...chunksOf(text, reply.chunkChars).map(part => ({
        tool_calls: [{ index, function: { arguments: part } }],
      })),
    ]),
  ];
}

export function chatWhole(reply: FullReply): object {
  const calls = toolCallsOf(reply);
  const isRefusal = reply.stopReason === 'refusal';
  const message = {
    role: 'assistant',
    content: isRefusal || (reply.text === '' && calls.length > 0) ? null : reply.text,
    refusal: isRefusal ? reply.text : null,
    annotations: [],
    ...(reply.reasoning === '' ? {} : { reasoning_content: reply.reasoning }),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
  return {
    ...headOf(reply, 'chat.completion'),
    choices: [{ index: 0, message, logprobs: null, finish_reason: FINISH_REASONS[reply.stopReason] }],
    ...(reply.usage ? { usage: usageOf(reply.usage) } : {}),
  };
}

function headOf({ id, model }: FullReply, object: string): object {
  return { id: `chatcmpl-${id}`, object, created: 0, model, service_tier: 'default' };
}

function toolCallsOf(reply: FullReply) {
  return reply.calls.map((call, index) => ({
    ...withCallId('id', call.id, `call_${reply.id.slice(-12)}_${index}`),
    type: 'function',
    function: { name: call.name, arguments: call.text },
  }));
}

function usageOf(usage: NonNullable<FullReply['usage']>): object {
  return {
    prompt_tokens: usage.inputTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: usage.inputTokens + usage.outputTokens,
    prompt_tokens_details: { cached_tokens: usage.cachedInputTokens },
    completion_tokens_details: { reasoning_tokens: usage.reasoningTokens },
  };
}
