/** Converts conversations of Anthropic's Messages API. */

import { stringOr } from '../../base/json/json.js';
import { GO_ON, toWireTurns, type WireTurn } from '../../models/anthropic/wire-messages.js';
import type { AssistantMessage, Message } from '../../run/messages/message.js';
import { MessageReader, type ReadOptions, recordsOf, textsOf, type Wire } from './read-messages.js';

/** Returns the `messages` of a request of the Messages API. `model`: the `endpoint/model` that receives them. */
export function toAnthropicMessages(
  messages: readonly Message[],
  { model = '' }: { model?: string } = {},
): WireTurn[] {
  return toWireTurns(model, messages);
}

/** Reads the messages of a request of the Messages API, or of its replies. */
export function fromAnthropicMessages(wire: readonly unknown[], options: ReadOptions = {}): Message[] {
  const reader = new MessageReader(options);
  for (const { role, content } of recordsOf(wire)) {
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : recordsOf(content);
    if (role === 'assistant') reader.reply(blocks.flatMap(block => toBlock(reader, block)));
    if (role !== 'user') continue;
    for (const block of blocks) {
      if (block.type !== 'tool_result') continue;
      reader.result(
        stringOr(block.tool_use_id, ''),
        textsOf(block.content).join('\n'),
        block.is_error === true,
      );
    }
    reader.user(textsOf(blocks).filter(text => text !== GO_ON));
  }
  return reader.messages;
}

function toBlock(reader: MessageReader, block: Wire): AssistantMessage['content'] {
  switch (block.type) {
    case 'text':
      return textsOf([block]).map(text => ({ type: 'text', text }));
    case 'tool_use':
      return [reader.call(block.id, block.name, block.input)];
    case 'thinking': {
      const { type, thinking, signature } = block;
      return [reader.reasoning(stringOr(thinking, ''), { type, signature })];
    }
    case 'redacted_thinking':
      return [reader.reasoning('', { type: block.type, data: block.data })];
    default:
      return [];
  }
}
