/** Messages within their bounds. The arguments of calls are never cut: a call runs with what was asked, or not. */

import { wellFormed } from '../base/json/json.js';
import { INSTRUCTION_TEXT_BYTES, REPLY_BYTES, RESULT_BYTES, TEXT_BYTES } from '../base/sizes/bounds.js';
import { sizeOf } from '../base/sizes/sizes.js';
import { cutText, fitted } from '../base/text/fit.js';
import type { Message, ReasoningBlock, TextBlock, ToolResultBlock } from '../run/messages/message.js';
import { contentText } from './tool-result.js';

/** The message as a thread takes it: the same object where it fits, as nearly all do. */
export function fitMessage<M extends Message>(given: M): M {
  // Half of a pair in a text would have every later request refused (FE4).
  const message = wellFormed(given);
  switch (message.kind) {
    case 'assistant':
      return sizeOf(message) <= REPLY_BYTES ? message : withShortTexts(message, REPLY_TEXT_BYTES);
    case 'tool_result':
      return withShortTexts(message, RESULT_BYTES);
    case 'user':
      return withShortTexts(message, message.purpose === 'instruction' ? INSTRUCTION_TEXT_BYTES : TEXT_BYTES);
    case 'cut':
      return withShortTexts(message, TEXT_BYTES);
  }
}

/** Left to each text of a reply that is too large in all. */
const REPLY_TEXT_BYTES = 8_000;

/** The message with texts of at most so many bytes; a tool result within so many in all. */
export function withShortTexts<M extends Message>(message: M, bytes: number): M {
  if (sizeOf(message) <= bytes) return message;
  const content = message.content.map(block => {
    if (block.type === 'tool_use') return block;
    if (block.type === 'tool_result') return withShortContent(block, bytes);
    return withText(block, cutText(block.text, bytes));
  });
  return { ...message, content };
}

/** Whose result it is stays, and of what was said as much as there is room for: as text where nothing else of it fits. */
function withShortContent(block: ToolResultBlock, bytes: number): ToolResultBlock {
  const { note, content, ...fixed } = block;
  const room = bytes - sizeOf(fixed);
  const short = fitted({ note, content }, room);
  if (short.content.length > 0 || content.length === 0) return { ...fixed, ...short };
  return {
    ...fixed,
    note: '',
    content: [{ type: 'text', text: cutText(contentText(content), Math.floor(room / 2)) }],
  };
}

/** Another text is not what a provider gave: what it wants back with it goes. */
function withText<B extends TextBlock | ReasoningBlock>(block: B, text: string): B {
  if (text === block.text) return block;
  const { data: _data, ...rest } = { data: undefined, ...block };
  return { ...rest, text } as B;
}
