/** Token estimates (X4): accurate enough for trimming; the endpoint's reported usage corrects them. */

import { canonicalJson } from '../../base/json/json.js';
import { measuredOnce } from '../../base/sizes/sizes.js';
import type { Block, Message, ToolContent } from '../messages/message.js';

/** The default for unknown models. A model that takes less reports an error, and the run then sends less. */
export const DEFAULT_CONTEXT_TOKENS = 128_000;

/** Characters of one token outside CJK. */
const CHARACTERS_A_TOKEN = 4;
/** The cost of a message's role, separators and ids. */
const MESSAGE_OVERHEAD_TOKENS = 4;
/** Endpoints charge images by size; this is a typical value. */
const IMAGE_TOKENS = 800;

/** First and last code points of scripts with about one token a character. Ascending. */
const WIDE_RANGES: readonly (readonly [number, number])[] = [
  [0x1100, 0x11ff], // hangul jamo
  [0x2e80, 0x9fff], // radicals, CJK punctuation, kana, bopomofo, enclosed forms, Han
  [0xa960, 0xa97f], // hangul jamo extended
  [0xac00, 0xd7ff], // hangul
  [0xf900, 0xfaff], // Han compatibility
  [0xfe30, 0xfe4f], // vertical forms
  [0xff00, 0xffef], // half and full width
  [0x20000, 0x3ffff], // Han extensions
];

const FIRST_WIDE = 0x1100;
/** Higher code points take two UTF-16 units. */
const LAST_OF_ONE_UNIT = 0xffff;

function isWide(codePoint: number): boolean {
  return (
    codePoint >= FIRST_WIDE && WIDE_RANGES.some(([first, last]) => codePoint >= first && codePoint <= last)
  );
}

/** Estimates one token for each CJK character, a quarter for any other UTF-16 unit, rounded up. 0 for ''. */
export function estimateTokens(text: string): number {
  let wide = 0;
  let narrowUnits = 0;
  for (let index = 0; index < text.length; index += 1) {
    const codePoint = text.charCodeAt(index) < FIRST_WIDE ? 0 : (text.codePointAt(index) ?? 0);
    if (isWide(codePoint)) wide += 1;
    else narrowUnits += codePoint > LAST_OF_ONE_UNIT ? 2 : 1;
    if (codePoint > LAST_OF_ONE_UNIT) index += 1;
  }
  return wide + Math.ceil(narrowUnits / CHARACTERS_A_TOKEN);
}

/** Estimates a message's tokens in a request. Reasoning that is not sent costs 0. */
export const estimateMessageTokens = measuredOnce(messageTokens);

function messageTokens(message: Message): number {
  const blocks: readonly Block[] = message.content;
  const shown = message.kind === 'user' ? (message.pictures ?? []).length * IMAGE_TOKENS : 0;
  return blocks.reduce((sum, block) => sum + blockTokens(block), MESSAGE_OVERHEAD_TOKENS + shown);
}

function blockTokens(block: Block): number {
  switch (block.type) {
    case 'text':
      return estimateTokens(block.text);
    case 'reasoning':
      // Reasoning is sent only if its provider wants it back.
      return block.data === undefined ? 0 : estimateTokens(block.text);
    case 'tool_use':
      return estimateTokens(block.name) + estimateTokens(canonicalJson(block.input));
    case 'tool_result':
      return block.content.reduce((sum, content) => sum + contentTokens(content), estimateTokens(block.note));
  }
}

function contentTokens(content: ToolContent): number {
  switch (content.type) {
    case 'text':
      return estimateTokens(content.text);
    case 'image':
      return IMAGE_TOKENS;
    case 'resource':
      return estimateTokens(content.uri) + estimateTokens(content.text ?? '');
    case 'json':
      return estimateTokens(canonicalJson(content.value));
  }
}
