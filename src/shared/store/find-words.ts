/** How words are looked for in conversations: as they stand, in any case, each anywhere in a text. */
import type { Message } from '../../core/state/message.js';
import { resultText } from '../../core/tools/tool-result.js';

export function lowerWords(text: string): string[] {
  return text
    .toLowerCase()
    .split(/\s+/)
    .filter(word => word !== '');
}

/** What of a message is looked through. */
export function searchedText({ content }: Message): string {
  return content
    .map(block => {
      if (block.type === 'tool_result') return resultText(block);
      if (block.type === 'tool_use') return `${block.name} ${JSON.stringify(block.input)}`;
      return block.text;
    })
    .join('\n');
}

const BEFORE_CHARS = 60;
const HIT_CHARS = 200;

/** What stands around the first of the words; null where one of them is missing. */
export function partWith(text: string, words: readonly string[]): string | null {
  const lower = text.toLowerCase();
  const places = words.map(word => lower.indexOf(word));
  if (places.includes(-1)) return null;
  const from = Math.max(0, Math.min(...places) - BEFORE_CHARS);
  const part = text
    .slice(from, from + HIT_CHARS)
    .replace(/\s+/g, ' ')
    .trim();
  return `${from > 0 ? '…' : ''}${part}${from + HIT_CHARS < text.length ? '…' : ''}`;
}
