/** Canonical messages as items of OpenAI's Responses API. */
import type OpenAI from 'openai';
import { isRecord } from '../../base/json/json.js';
import type { OfferedTool } from '../../rules/prompts/model-request.js';
import type { AssistantMessage, Message, ReasoningBlock } from '../../run/messages/message.js';
import { textOf } from '../../run/messages/message.js';
import type { Pictures } from '../provider/provider.js';
import type { Body } from '../refusals/refused-options.js';
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
import { isStrictSchema } from '../request/strict-schema.js';
import { wireDescription, wireSchema } from '../request/tool-schema.js';

type Item = OpenAI.Responses.ResponseInputItem;
type Shown = (OpenAI.Responses.ResponseInputText | OpenAI.Responses.ResponseInputImage)[];

/**
 * Returns the items of a conversation, in order, for `model` (`endpoint/model`). Items have no ids, because the API
 * stores none of them. Reasoning goes back unchanged to the model that produced it.
 */
export function toWireInput(
  model: string,
  messages: readonly Message[],
  pictures: Pictures = NO_PICTURES,
): Item[] {
  return messages.flatMap(message => toItems(model, message, pictures));
}

function toItems(model: string, message: Message, pictures: Pictures): Item[] {
  switch (message.kind) {
    case 'assistant':
      return toReply(model, message);
    case 'tool_result': {
      const [result] = message.content;
      return [
        {
          type: 'function_call_output',
          call_id: wireCallId(result.toolUseId),
          output: withPictures(shownResultText(message, pictures), message, pictures),
        },
      ];
    }
    default:
      return [{ role: 'user', content: withPictures(textOf(message), message, pictures) }];
  }
}

function withPictures(text: string, message: Message, pictures: Pictures): string | Shown {
  const seen = picturesOf(message, pictures).map(picture => {
    return { type: 'input_image' as const, image_url: dataUrl(picture), detail: 'auto' as const };
  });
  return seen.length === 0 ? text : [{ type: 'input_text', text }, ...seen];
}

/** Each block is an item, in its place. */
function toReply(model: string, message: AssistantMessage): Item[] {
  // An interrupted reply lacks the item that its reasoning led to, so its reasoning is left out.
  if (message.stopReason === 'interrupted') return [{ role: 'assistant', content: assistantText(message) }];
  return followed(
    message.content.flatMap((block): Item[] => {
      if (block.type === 'reasoning') return reasoningItem(model, block);
      if (block.type === 'text') return block.text === '' ? [] : [{ role: 'assistant', content: block.text }];
      const [call_id, name] = [wireCallId(block.id), wireToolName(block.name)];
      return [{ type: 'function_call', call_id, name, arguments: JSON.stringify(block.input) }];
    }),
  );
}

function reasoningItem(model: string, block: ReasoningBlock): Item[] {
  const item = dataFor(model, block);
  return isReasoningItem(item) ? [item] : [];
}

function isReasoningItem(value: unknown): value is OpenAI.Responses.ResponseReasoningItem {
  return isRecord(value) && value.type === 'reasoning' && typeof value.encrypted_content === 'string';
}

/** Drops reasoning at the end of a reply, because the API refuses reasoning that no item follows. */
function followed(items: readonly Item[]): Item[] {
  return items.slice(0, items.findLastIndex(item => !isReasoningItem(item)) + 1);
}

export function toWireTool({ name, description, inputSchema }: OfferedTool): OpenAI.Responses.FunctionTool {
  const open: Body = wireSchema(inputSchema);
  const closed = { ...open, additionalProperties: inputSchema.additionalProperties };
  // `strict` is always sent, because an omitted value means true here, unlike in chat completions.
  const strict = isStrictSchema(closed);
  const parameters = strict ? closed : open;
  return { type: 'function', name, description: wireDescription(description), parameters, strict };
}
