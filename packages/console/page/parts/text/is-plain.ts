/** Whether Markdown would show a text as it stands, in paragraphs. When in doubt it would not. Pure. */

/** What marks something within a line; an address becomes a link. */
const WITHIN = /[*_`~[\]\\|#<>&@]|:\/\/|www\./i;
/** What begins a list, a rule or a heading under its text, or code. */
const AT_BEGIN = /^(?: {4}| {0,3}\t|\s*(?:[-+=]|\d+[.)]))/m;

export function isPlain(text: string): boolean {
  return !WITHIN.test(text) && !AT_BEGIN.test(text);
}

const MOST_PARAGRAPHS = 1_000;

/** What stands between empty lines; of very many, the rest in one. */
export function paragraphsOf(text: string): string[] {
  const all = text.trim().split(/\n\s*\n/);
  return all.length <= MOST_PARAGRAPHS
    ? all
    : [...all.slice(0, MOST_PARAGRAPHS - 1), all.slice(MOST_PARAGRAPHS - 1).join('\n\n')];
}

/** So many lines stand in a colour of their own; the rest is one text. */
export const MOST_LINES = 2_000;

export function linesOf(text: string): string[] {
  const lines = text.split('\n');
  return lines.length <= MOST_LINES
    ? lines
    : [...lines.slice(0, MOST_LINES - 1), lines.slice(MOST_LINES - 1).join('\n')];
}
