/** WB2. Markdown that takes `marked` too long to read, or a page too long to draw: it is shown as it is. Pure. */

/** Marks that may begin or end something within a line, and whose partners `marked` looks for. */
const MARKS = /[*_~[\]`]/;
/** What becomes a link without marks. */
const LINKS = /:\/\/|www\.|@/g;
/** What begins a text of its own, as an empty line does: an item, a heading, a row. */
const NEW_TEXT = /^\s*(?:$|[-*+] |\d{1,9}[.)] |#|\|)/;
/** The line below the head of a table. A shorter row is filled up to its columns. */
const TABLE = /^[\s>]*[|:-][\s|:-]*$/;
/** What stands within something else: each level is read again for the level within it. */
const WITHIN = /^(?:[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t])))*[ \t]*/;
const LEVELS = /[>*+-]|\d{1,9}[.)]/g;

/** 4,000 characters of nothing but marks take about half a second; ordinary text of 100 KB is at a tenth of this. */
const MOST_COST = 12_000_000;
/** Answers and plans are far shorter. */
const MOST_CHARS = 400_000;
const MOST_LEVELS = 30;
/** An ordinary text of 100 KB makes some 5,000. */
export const MOST_ELEMENTS = 20_000;

export function isCostly(text: string): boolean {
  return text.length > MOST_CHARS || takesLong(text) || elementsOf(text) > MOST_ELEMENTS;
}

/** Within one text, `marked` takes time that grows with its length times its marks, and faster. */
function takesLong(text: string): boolean {
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
    if (cost + chars * marks > MOST_COST || levelsOf(line) > MOST_LEVELS) return true;
  }
  return false;
}

function levelsOf(line: string): number {
  const [begin = ''] = WITHIN.exec(line.slice(0, 1_000)) ?? [];
  const levels = begin.match(LEVELS)?.length ?? 0;
  const isItem = levels > 0;
  // An item within an item stands two blanks further in.
  return levels + (isItem ? Math.floor((/^[ \t]*/.exec(line)?.[0].length ?? 0) / 2) : 0);
}

/** At least as many elements as are made of it: cells of tables, items, breaks, links, what marks set apart. */
export function elementsOf(text: string): number {
  let elements = 0;
  let columns = 0;
  for (const line of text.split('\n')) {
    if (line.trim() === '') columns = 0;
    else if (TABLE.test(line)) columns = Math.max(columns, line.split('|').length);
    let marks = 0;
    for (const character of line) if (MARKS.test(character)) marks += 1;
    elements += 3 + columns + Math.ceil(marks / 2) + (line.match(LINKS)?.length ?? 0) + levelsOf(line);
  }
  return elements;
}
