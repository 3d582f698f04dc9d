/** Markdown that takes `marked` too long to read. Pure. */

/** Marks that may begin or end something within a line, and whose partners `marked` looks for. */
const MARKS = /[*_~[\]`]/;
/** What begins a text of its own, as an empty line does: an item, a heading, a row. */
const NEW_TEXT = /^\s*(?:$|[-*+] |\d{1,9}[.)] |#|\|)/;
/** 4,000 characters of nothing but marks take about half a second; ordinary text of 100 KB is at a tenth of this. */
const MOST_COST = 12_000_000;
/** Answers and plans are far shorter. */
const MOST_CHARS = 400_000;

/** Within one text, `marked` takes time that grows with its length times its marks, and faster. */
export function isCostly(text: string): boolean {
  if (text.length > MOST_CHARS) return true;
  let cost = 0;
  let chars = 0;
  let marks = 0;
  for (const line of text.split('\n')) {
    if (NEW_TEXT.test(line)) {
      cost += chars * marks;
      chars = 0;
      marks = 0;
    }
    chars += line.length + 1;
    for (const character of line) if (MARKS.test(character)) marks += 1;
    if (cost + chars * marks > MOST_COST) return true;
  }
  return false;
}
