/** Keeps messages within their bounds. Arguments of calls are never cut: a call runs as requested, or not at all. */

import { wellFormed } from '../base/json/json.js';
import { INSTRUCTION_TEXT_BYTES, REPLY_BYTES, RESULT_BYTES, TEXT_BYTES } from '../base/sizes/bounds.js';
import { sizeOf } from '../base/sizes/sizes.js';
import { cutText, fitted } from '../base/text/fit.js';
import type { Message, ReasoningBlock, TextBlock, ToolResultBlock } from '../run/messages/message.js';
import { contentText } from './tool-result.js';

/** Returns the message within bounds: the same object if it fits, as nearly all do. */
export function fitMessage<M extends Message>(given: M): M {
  // With half a surrogate pair in a text, every later request would be refused (FE4).
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

/** The size for each text of a reply whose total is too large. */
const REPLY_TEXT_BYTES = 8_000;

/** Cuts each text to `bytes`; a tool result in total. */
export function withShortTexts<M extends Message>(message: M, bytes: number): M {
  if (sizeOf(message) <= bytes) return message;
  const content = message.content.map(block => {
    if (block.type === 'tool_use') return block;
    if (block.type === 'tool_result') return withShortContent(block, bytes);
    return withText(block, cutText(block.text, bytes));
  });
  return { ...message, content };
}

/** Keeps the result's call and as much content as fits: as text if nothing else fits. */
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

/** Drops the provider's data if the text has changed, because the data belongs to the old text. */
function withText<B extends TextBlock | ReasoningBlock>(block: B, text: string): B {
  if (text === block.text) return block;
  const { data: _data, ...rest } = { data: undefined, ...block };
  return { ...rest, text } as B;
}
