/** Reads whole replies of the model protocols, and writes them as answers of chat completions (CF6). */

import { isRecord } from '../../base/json/json.js';
import { eventsOfMessage, readMessage } from '../../models/anthropic/read-events.js';
import { readChunks } from '../../models/chat/chunks.js';
import type { ModelDelta } from '../../models/provider/provider.js';
import { readResponse, wholeResponse } from '../../models/responses/read-events.js';
import type { AssistantMessage, Message, StopReason } from '../../run/messages/message.js';
import { SteersmanError } from '../../shared/process/errors.js';
import { fromAnthropicMessages } from './anthropic.js';
import { fromChatMessages, toChatMessages } from './chat.js';
import type { ReadOptions } from './read-messages.js';
import { fromResponsesItems } from './responses.js';

/**
 * Reads the body of a reply that was not streamed, of any of the three protocols: content, stop reason and usage, whose
 * cost is unknown.
 * @throws SteersmanError if the body is not a reply.
 */
export async function fromReply(body: unknown, options: ReadOptions = {}): Promise<AssistantMessage> {
  const { messages, events } = readBody(body, options);
  const last = messages.findLast(message => message.kind === 'assistant');
  if (last?.kind !== 'assistant') throw noReply();
  let reply = last;
  for await (const delta of events) {
    if (delta.type === 'end') reply = { ...reply, stopReason: delta.stopReason };
    if (delta.type === 'usage') reply = { ...reply, usage: { ...delta.usage, costUsd: null } };
  }
  return reply;
}

function readBody(
  body: unknown,
  options: ReadOptions,
): { messages: Message[]; events: AsyncIterable<ModelDelta> } {
  if (!isRecord(body)) throw noReply();
  const [choice] = Array.isArray(body.choices) ? body.choices : [];
  if (isRecord(choice) && isRecord(choice.message)) {
    const message = { ...choice.message, role: 'assistant' };
    return { messages: fromChatMessages([message], options), events: readChunks(each([body])) };
  }
  if (Array.isArray(body.output))
    return {
      messages: fromResponsesItems(body.output, options),
      events: readResponse(each(wholeResponse(body))),
    };
  if (body.role !== 'assistant' || !Array.isArray(body.content)) throw noReply();
  return {
    messages: fromAnthropicMessages([body], options),
    events: readMessage(each(eventsOfMessage(body))),
  };
}

async function* each(events: readonly unknown[]): AsyncGenerator<unknown, void> {
  yield* events;
}

function noReply(): SteersmanError {
  return new SteersmanError(
    'This is not a reply of a model.',
    'It may be the body of an answer of chat completions, of the Responses API or of Anthropic’s Messages.',
    'usage',
  );
}

type ChatMessage = ReturnType<typeof toChatMessages>[number];

export interface ChatReply {
  id: string;
  object: 'chat.completion';
  created: number;
  model: string;
  choices: [{ index: 0; message: ChatMessage; finish_reason: string }];
  usage: {
    prompt_tokens: number;
    completion_tokens: number;
    total_tokens: number;
    prompt_tokens_details: { cached_tokens: number };
    completion_tokens_details: { reasoning_tokens: number };
  };
}

const FINISH: Readonly<Record<StopReason, string>> = {
  end_turn: 'stop',
  tool_use: 'tool_calls',
  max_tokens: 'length',
  content_filter: 'content_filter',
  refusal: 'stop',
  interrupted: 'stop',
};

/** Returns a reply as the answer of chat completions that clients of that protocol read. */
export function toChatReply(reply: AssistantMessage): ChatReply {
  const { id, at, model, stopReason, usage } = reply;
  const [message = { role: 'assistant', content: '' }] = toChatMessages([reply], { model });
  return {
    ...{ id, object: 'chat.completion', created: Math.floor(at / 1_000), model },
    choices: [{ index: 0, message, finish_reason: FINISH[stopReason] }],
    usage: {
      prompt_tokens: usage.inputTokens,
      completion_tokens: usage.outputTokens,
      total_tokens: usage.inputTokens + usage.outputTokens,
      prompt_tokens_details: { cached_tokens: usage.cachedInputTokens },
      completion_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    },
  };
}
