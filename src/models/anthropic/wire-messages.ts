/** Canonical messages in the wire form of Anthropic's Messages API. */
import type Anthropic from '@anthropic-ai/sdk';
import { isRecord } from '../../base/json/json.js';
import type { OfferedTool } from '../../rules/prompts/model-request.js';
import type {
  AssistantMessage,
  Message,
  ReasoningBlock,
  ToolResultMessage,
} from '../../run/messages/message.js';
import { textOf } from '../../run/messages/message.js';
import type { Picture, Pictures } from '../provider/provider.js';
import {
  dataFor,
  INTERRUPTED_NOTE,
  NO_PICTURES,
  picturesOf,
  shownResultText,
  wireCallId,
  wireToolName,
} from '../request/message-text.js';
import { wireSchema } from '../request/tool-schema.js';

export type WireBlock =
  | Anthropic.TextBlockParam
  | Anthropic.ImageBlockParam
  | Anthropic.ThinkingBlockParam
  | Anthropic.RedactedThinkingBlockParam
  | Anthropic.ToolUseBlockParam
  | Anthropic.ToolResultBlockParam;

/** One message on the wire; consecutive messages of the same side are merged into one. */
export interface WireTurn {
  role: 'user' | 'assistant';
  content: WireBlock[];
}

/** The data that thinking is sent back with, in addition to its text. */
export type ThinkingData =
  | { type: 'thinking'; signature: string }
  | { type: 'redacted_thinking'; data: string };

/** Sent as a user message where the API requires one and the conversation has none. */
export const GO_ON = '(The conversation goes on.)';

/**
 * Returns the turns of a conversation, in order, for `model` (`endpoint/model`). The first and the last turn are the
 * user's. Thinking is sent back unchanged and in its place, but only to the model that produced it.
 */
export function toWireTurns(
  model: string,
  messages: readonly Message[],
  pictures: Pictures = NO_PICTURES,
): WireTurn[] {
  const turns: WireTurn[] = [];
  for (const message of messages) {
    const role = message.kind === 'assistant' ? 'assistant' : 'user';
    const content = toBlocks(model, message, pictures);
    const last = turns.at(-1);
    if (content.length === 0) continue;
    if (last?.role === role) last.content.push(...content);
    else turns.push({ role, content });
  }
  if (turns[0]?.role !== 'user') turns.unshift({ role: 'user', content: [text(GO_ON)] });
  if (turns.at(-1)?.role !== 'user') turns.push({ role: 'user', content: [text(GO_ON)] });
  return turns;
}

function text(said: string): Anthropic.TextBlockParam {
  return { type: 'text', text: said };
}

/** The API refuses texts that are empty or blank. */
function texts(said: string): Anthropic.TextBlockParam[] {
  return said.trim() === '' ? [] : [text(said)];
}

function toBlocks(model: string, message: Message, pictures: Pictures): WireBlock[] {
  switch (message.kind) {
    case 'assistant':
      return toReply(model, message);
    case 'tool_result':
      return [toResult(message, pictures)];
    default:
      return [...texts(textOf(message)), ...picturesOf(message, pictures).map(toImage)];
  }
}

function toReply(model: string, message: AssistantMessage): WireBlock[] {
  const blocks = message.content.flatMap((block): WireBlock[] => {
    if (block.type === 'text') return texts(block.text);
    if (block.type === 'reasoning') return toThinking(model, block);
    return [
      { type: 'tool_use', id: wireCallId(block.id), name: wireToolName(block.name), input: block.input },
    ];
  });
  if (message.stopReason === 'interrupted') blocks.push(text(INTERRUPTED_NOTE));
  // The API refuses a reply that ends with thinking.
  return blocks.slice(0, blocks.findLastIndex(block => !isThinking(block)) + 1);
}

function isThinking({ type }: WireBlock): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}

function toThinking(model: string, block: ReasoningBlock): WireBlock[] {
  const data = dataFor(model, block);
  if (!isThinkingData(data)) return [];
  if (data.type === 'redacted_thinking') return [{ type: data.type, data: data.data }];
  return [{ type: data.type, thinking: block.text, signature: data.signature }];
}

function isThinkingData(value: unknown): value is ThinkingData {
  if (!isRecord(value)) return false;
  return value.type === 'thinking'
    ? typeof value.signature === 'string'
    : value.type === 'redacted_thinking' && typeof value.data === 'string';
}

function toResult(message: ToolResultMessage, pictures: Pictures): Anthropic.ToolResultBlockParam {
  const [result] = message.content;
  const said = shownResultText(message, pictures);
  const seen = picturesOf(message, pictures).map(toImage);
  const content = seen.length > 0 ? [...texts(said), ...seen] : said;
  return {
    type: 'tool_result',
    tool_use_id: wireCallId(result.toolUseId),
    ...(content.length === 0 ? {} : { content }),
    // The API allows only text in a failed result, so a result with pictures is not marked; its text states the
    // failure.
    ...(result.isError && seen.length === 0 ? { is_error: true } : {}),
  };
}

function toImage({ mimeType, base64 }: Picture): Anthropic.ImageBlockParam {
  return { type: 'image', source: { type: 'base64', media_type: mimeType, data: base64 } };
}

export function toWireTools(tools: readonly OfferedTool[]): Anthropic.Tool[] {
  return tools.map(({ name, description, inputSchema }) => {
    const input_schema = { ...wireSchema(inputSchema), type: 'object' as const };
    return { name, ...(description === '' ? {} : { description }), input_schema };
  });
}
