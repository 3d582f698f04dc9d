/** Shortens texts to one line, for events, lists and instructions. */
import { headChars } from './large-text.js';

/** Returns one line of at most `max` characters, for journals, summaries and details. */
export function preview(text: string, max = 200): string {
  const head = oneLine(text.slice(0, max * 4));
  // The head of a long text is enough, unless it is nearly all space.
  const line = head.length > max || text.length <= max * 4 ? head : oneLine(text);
  return line.length <= max ? line : `${headChars(line, max - 1)}…`;
}

/** Returns the whole text on one line. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** Returns at most `max` characters, with a mark that counts the omitted ones. Cutting the result again changes nothing. */
export function cutChars(text: string, max: number): string {
  if (text.length <= max) return text;
  const mark = (left: number) => `… [cut: ${left} characters]`;
  const head = headChars(text, max - mark(text.length).length);
  return head + mark(text.length - head.length);
}

/** Makes a foreign name safe within a line: control and format characters become `?`. */
export function safeLine(text: string, max = 300): string {
  return preview(text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '?'), max);
}
