/** Converts conversations of OpenAI's Responses API. */

import { stringOr } from '../../base/json/json.js';
import { toWireInput } from '../../models/responses/wire-input.js';
import type { Message } from '../../run/messages/message.js';
import { MessageReader, type ReadOptions, recordsOf, textsOf, withFailuresInWords } from './read-messages.js';

/** Returns the `input` of a request of the Responses API. `model`: the `endpoint/model` that receives it. */
export function toResponsesInput(
  messages: readonly Message[],
  { model = '' }: { model?: string } = {},
): ReturnType<typeof toWireInput> {
  return toWireInput(model, withFailuresInWords(messages));
}

/** Reads the `input`, or the `output` of a response, without system and developer messages. */
export function fromResponsesItems(items: readonly unknown[], options: ReadOptions = {}): Message[] {
  const reader = new MessageReader(options);
  let inReply = false;
  for (const item of recordsOf(items)) {
    const goesOn = inReply;
    inReply = item.role === 'assistant' || item.type === 'function_call' || item.type === 'reasoning';
    if (item.role === 'user') reader.user(textsOf(item.content));
    if (item.role === 'assistant') {
      const texts = textsOf(item.content).map(text => ({ type: 'text' as const, text }));
      reader.reply(texts, goesOn);
    }
    if (item.type === 'function_call')
      reader.reply([reader.call(item.call_id, item.name, item.arguments)], goesOn);
    if (item.type === 'reasoning') {
      const { type, id, summary, encrypted_content } = item;
      const text = textsOf(summary).join('\n\n');
      reader.reply([reader.reasoning(text, { type, id, summary, encrypted_content })], goesOn);
    }
    if (item.type === 'function_call_output') {
      reader.result(stringOr(item.call_id, ''), textsOf(item.output).join('\n'));
    }
  }
  return reader.messages;
}
