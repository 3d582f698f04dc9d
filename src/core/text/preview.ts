/** Texts in one line, for events, lists and instructions. */
import { headChars } from './large-text.js';

/** One line of at most `max` characters, for journals, summaries and details. */
export function preview(text: string, max = 200): string {
  const head = oneLine(text.slice(0, max * 4));
  // Of a long text the head is enough, unless it is nearly all space.
  const line = head.length > max || text.length <= max * 4 ? head : oneLine(text);
  return line.length <= max ? line : `${headChars(line, max - 1)}…`;
}

/** All of it, in one line. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
