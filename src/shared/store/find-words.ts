/** How words are looked for in conversations: as they stand, in any case, each anywhere in a text. */

import { resultText } from '../../conversation/tool-result.js';
import type { Message } from '../../run/messages/message.js';

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

/** What a search of conversations finds of a message: nothing of a role's prompt, which nobody said (FC11). */
export function foundText(message: Message): string {
  return message.kind === 'user' && message.purpose === 'role' ? '' : searchedText(message);
}

/** From here on, a language writes words of one or two characters. */
const WIDE = 0x2e80;
const SPACE = 32;

/**
 * Short parts of a text as numbers, by which an index finds it: three letters in a row, or two wide characters. A text
 * has all those of each word that it has. Two parts may have one number.
 */
export function gramsOf(lower: string): number[] {
  const grams = new Set<number>();
  for (let at = 0; at + 1 < lower.length; at += 1) {
    const [a, b, c] = [lower.charCodeAt(at), lower.charCodeAt(at + 1), lower.charCodeAt(at + 2)];
    if (a <= SPACE || b <= SPACE) continue;
    if (a >= WIDE && b >= WIDE) grams.add(hash(a, b, 0));
    if (a < WIDE && b < WIDE && c > SPACE && c < WIDE) grams.add(hash(a, b, c));
  }
  return [...grams];
}

function hash(a: number, b: number, c: number): number {
  return Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca6b) ^ Math.imul(c, 0xc2b2ae35);
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
