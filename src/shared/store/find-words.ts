/** Searches conversations for words: each word is matched literally, in any case, anywhere in a text. */

import { resultText } from '../../conversation/tool-result.js';
import type { Message } from '../../run/messages/message.js';

export function lowerWords(text: string): string[] {
  return text
    .toLowerCase()
    .split(/\s+/)
    .filter(word => word !== '');
}

export function searchedText({ content }: Message): string {
  return content
    .map(block => {
      if (block.type === 'tool_result') return resultText(block);
      if (block.type === 'tool_use') return `${block.name} ${JSON.stringify(block.input)}`;
      return block.text;
    })
    .join('\n');
}

/** Returns a message's text for searches; empty for a role's prompt, which is not part of the dialogue (FC11). */
export function foundText(message: Message): string {
  return message.kind === 'user' && message.purpose === 'role' ? '' : searchedText(message);
}

/** Characters from here on belong to languages whose words have one or two characters. */
const WIDE = 0x2e80;
const SPACE = 32;

/**
 * Returns short parts of a text as numbers, for an index: three consecutive letters, or two wide characters. A text has
 * all parts of each of its words. Different parts may have the same number.
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

/** Returns the text around the first of the words; null if any of them is missing. */
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
