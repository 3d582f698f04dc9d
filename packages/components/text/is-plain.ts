/** Detects texts that Markdown would show unchanged, in paragraphs. In doubt, the text counts as Markdown. Pure. */

/** Markdown within a line: characters that mark something, and beginnings of addresses, which become links. */
const WITHIN = /[*_`~[\]\\|#<>&@]|:\/\/|www\./i;
/** Beginnings of lines that make a list, a rule, a heading or code. */
const AT_BEGIN = /^(?: {4}| {0,3}\t|[^\S\n\r\u2028\u2029]*(?:[-+=]|\d+[.)]))/m;

export function isPlain(text: string): boolean {
  return !WITHIN.test(text) && !AT_BEGIN.test(text);
}

const MOST_PARAGRAPHS = 1_000;

/** Splits a text at empty lines. The last of very many paragraphs are joined. */
export function paragraphsOf(text: string): string[] {
  const all = text.trim().split(/\n\s*\n/);
  return all.length <= MOST_PARAGRAPHS
    ? all
    : [...all.slice(0, MOST_PARAGRAPHS - 1), all.slice(MOST_PARAGRAPHS - 1).join('\n\n')];
}

/** At most this many lines get their own colour; further lines are one text. */
export const MOST_LINES = 2_000;

export function linesOf(text: string): string[] {
  const lines = text.split('\n');
  return lines.length <= MOST_LINES
    ? lines
    : [...lines.slice(0, MOST_LINES - 1), lines.slice(MOST_LINES - 1).join('\n')];
}
