/** Converts conversations of chat completions. */

import { stringOr } from '../../base/json/json.js';
import { toWireMessages, type WireMessage } from '../../models/chat/wire-messages.js';
import type { Message } from '../../run/messages/message.js';
import { MessageReader, type ReadOptions, recordsOf, textsOf, withFailuresInWords } from './read-messages.js';

/** Returns the `messages` of a request of chat completions. `model`: the `endpoint/model` that receives them. */
export function toChatMessages(
  messages: readonly Message[],
  { model = '', system = '' }: { model?: string; system?: string } = {},
): WireMessage[] {
  return toWireMessages(model, system, withFailuresInWords(messages));
}

/** Reads the messages of a request of chat completions, without system messages. */
export function fromChatMessages(wire: readonly unknown[], options: ReadOptions = {}): Message[] {
  const reader = new MessageReader(options);
  for (const message of recordsOf(wire)) {
    if (message.role === 'user') reader.user(textsOf(message.content));
    if (message.role === 'tool') {
      reader.result(stringOr(message.tool_call_id, ''), textsOf(message.content).join('\n'));
    }
    if (message.role !== 'assistant') continue;
    const texts = textsOf(message.content).map(text => ({ type: 'text' as const, text }));
    const calls = recordsOf(message.tool_calls).map(({ id, function: called }) => {
      const [{ name, arguments: input } = {}] = recordsOf([called]);
      return reader.call(id, name, input);
    });
    reader.reply([...texts, ...calls]);
  }
  return reader.messages;
}
