/** Detects Markdown that `marked` would parse, or a page draw, too slowly: it is shown as plain text (WB2). Pure. */

/** Characters that may begin or end inline markup, whose partners `marked` searches for. */
const MARKS = /[*_~[\]`]/;
/** Texts that become links without markup. */
const LINKS = /:\/\/|www\.|@/g;
/** Lines that begin a new block, as an empty line does: an item, a heading, a row. */
const NEW_TEXT = /^\s*(?:$|[-*+] |\d{1,9}[.)] |#|\|)/;
/** The line below a table's head. Shorter rows are filled up to its number of columns. */
const TABLE = /^[\s>]*[|:-][\s|:-]*$/;
/** Markers of nested blocks: `marked` parses each level again for the level within it. */
const WITHIN = /^(?:[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t])))*[ \t]*/;
const LEVELS = /[>*+-]|\d{1,9}[.)]/g;

/** A text of 4,000 markup characters takes about half a second; ordinary text of 100 KB reaches a tenth of this. */
const MOST_COST = 12_000_000;
/** Answers and plans are far shorter than this. */
const MOST_CHARS = 400_000;
const MOST_LEVELS = 30;
/** An ordinary text of 100 KB makes about 5,000 elements. */
export const MOST_ELEMENTS = 20_000;

export function isCostly(text: string): boolean {
  return text.length > MOST_CHARS || takesLong(text) || elementsOf(text) > MOST_ELEMENTS;
}

/** True for HTML that would take a page seconds to clean and draw. */
export function isCostlyHtml(html: string): boolean {
  return html.length > MOST_CHARS || html.split('<', MOST_ELEMENTS + 2).length > MOST_ELEMENTS + 1;
}

/** Within a block, the time of `marked` grows at least with its length times its markup characters. */
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
  // A nested item is indented by two more blanks.
  return levels + (isItem ? Math.floor((/^[ \t]*/.exec(line)?.[0].length ?? 0) / 2) : 0);
}

/** Returns an upper bound of the elements that a text makes: table cells, items, breaks, links, inline markup. */
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
