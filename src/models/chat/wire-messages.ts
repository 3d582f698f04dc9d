/** Canonical messages in the wire form of OpenAI chat completions. */
import type OpenAI from 'openai';
import { isRecord } from '../../base/json/json.js';
import type { OfferedTool } from '../../rules/prompts/model-request.js';
import type { AssistantMessage, Message } from '../../run/messages/message.js';
import { textOf, toolCallsOf } from '../../run/messages/message.js';
import type { Picture, Pictures } from '../provider/provider.js';
import {
  assistantText,
  dataFor,
  dataUrl,
  NO_PICTURES,
  picturesOf,
  shownResultText,
  wireCallId,
  wireToolName,
} from '../request/message-text.js';
import { wireDescription, wireSchema } from '../request/tool-schema.js';
import { reasoningBack, withThinkTags } from './reasoning-back.js';

export type WireMessage = OpenAI.Chat.ChatCompletionMessageParam;

/**
 * Returns one wire message for each canonical one, in order, after the system prompt, for `model` (`endpoint/model`).
 * Pictures follow the tool results. Reasoning goes back to the model that produced it, in its original form.
 */
export function toWireMessages(
  model: string,
  system: string,
  messages: readonly Message[],
  pictures: Pictures = NO_PICTURES,
): WireMessage[] {
  const wire = messages.flatMap((message, index) => {
    const isLastResult = message.kind === 'tool_result' && messages[index + 1]?.kind !== 'tool_result';
    const seen = isLastResult ? picturesBefore(messages, index, pictures) : [];
    return [toWireMessage(model, message, pictures), ...seen];
  });
  return system === '' ? wire : [{ role: 'system', content: system }, ...wire];
}

/** Tool messages can't hold pictures, so a user message with them follows all results of a reply. */
function picturesBefore(messages: readonly Message[], at: number, pictures: Pictures): WireMessage[] {
  const from = messages.findLastIndex((message, index) => index < at && message.kind !== 'tool_result') + 1;
  const parts = messages.slice(from, at + 1).flatMap(message => {
    if (message.kind !== 'tool_result') return [];
    const [result] = message.content;
    const seen = picturesOf(message, pictures);
    const text = `[Pictures in the result of ${wireToolName(result.toolName)}, ${wireCallId(result.toolUseId)}:]`;
    return seen.length === 0 ? [] : [{ type: 'text' as const, text }, ...seen.map(toImagePart)];
  });
  return parts.length === 0 ? [] : [{ role: 'user', content: parts }];
}

function toImagePart(picture: Picture): OpenAI.Chat.ChatCompletionContentPartImage {
  return { type: 'image_url', image_url: { url: dataUrl(picture) } };
}

function toWireMessage(model: string, message: Message, pictures: Pictures): WireMessage {
  switch (message.kind) {
    case 'assistant':
      return toWireAssistant(model, message);
    case 'tool_result': {
      const [result] = message.content;
      return {
        role: 'tool',
        tool_call_id: wireCallId(result.toolUseId),
        content: shownResultText(message, pictures),
      };
    }
    default: {
      const text = textOf(message);
      const seen = picturesOf(message, pictures).map(toImagePart);
      return { role: 'user', content: seen.length === 0 ? text : [{ type: 'text', text }, ...seen] };
    }
  }
}

function toWireAssistant(model: string, message: AssistantMessage): WireMessage {
  const calls = toolCallsOf(message);
  const text = withThinkTags(model, message, assistantText(message));
  const content = text === '' && calls.length > 0 ? null : text;
  const wire = { role: 'assistant', content, ...reasoningBack(model, message) } as const;
  if (calls.length === 0) return wire;
  return {
    ...wire,
    tool_calls: calls.map(call => ({
      id: wireCallId(call.id),
      type: 'function',
      // The parsed arguments are sent, since chat templates of local servers fail on broken JSON in the raw text.
      function: { name: wireToolName(call.name), arguments: JSON.stringify(call.input) },
      ...besideCall(dataFor(model, call)),
    })),
  };
}

/** Data that Gemini wants back with a call: https://ai.google.dev/gemini-api/docs/thought-signatures */
function besideCall(data: unknown): object {
  return isRecord(data) && isRecord(data.extra_content) ? { extra_content: data.extra_content } : {};
}

export function toWireTools(tools: readonly OfferedTool[]): OpenAI.Chat.ChatCompletionTool[] {
  return tools.map(({ name, description, inputSchema }) => ({
    type: 'function',
    function: { name, description: wireDescription(description), parameters: wireSchema(inputSchema) },
  }));
}
