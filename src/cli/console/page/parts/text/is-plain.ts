/** Whether Markdown would show a text as it stands, in paragraphs. When in doubt it would not. Pure. */

/** What marks something within a line; an address becomes a link. */
const WITHIN = /[*_`~[\]\\|#<>&@]|:\/\/|www\./i;
/** What begins a list, a rule or a heading under its text, or code. */
const AT_BEGIN = /^(?: {4}| {0,3}\t|\s*(?:[-+=]|\d+[.)]))/m;

export function isPlain(text: string): boolean {
  return !WITHIN.test(text) && !AT_BEGIN.test(text);
}
