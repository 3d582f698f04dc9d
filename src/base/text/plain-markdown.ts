/** Texts of others within Markdown: the Web UI shows them as they are, with no link, picture or heading of theirs. */

/** What makes links, pictures, tags, entities, tables, code and styles; and headings, lists and rules of a line. */
const SPECIAL =
  /[\\`*[\]<~&|]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|(?<=^\s*)[-#+=>:]|(?<=^\s*\d{1,9})[.)]|:(?=\/\/)|(?<=\bwww)\.|@/giu;

export function plainLine(text: string): string {
  return text.replace(/[\r\n]+/g, ' ').replace(SPECIAL, '\\$&');
}

/** Foreign text as a quotation whose lines are those of the text, so that nothing in it looks like what the run says. */
export function quotedBlock(text: string): string {
  const lines = text.split(/\r\n?|\n/).map(line => {
    const [blanks = ''] = /^[ \t]*/.exec(line) ?? [];
    // Blanks before a line would make code of it; two behind it end it.
    const shown = '\u00a0'.repeat(blanks.length) + plainLine(line.slice(blanks.length));
    return shown === '' ? '' : `${shown}  `;
  });
  return quoted(lines.join('\n').trimEnd());
}

export function quoted(markdown: string): string {
  return markdown
    .split('\n')
    .map(line => (line === '' ? '>' : `> ${line}`))
    .join('\n');
}

/** A block that no text in it can end. */
export function fenced(language: string, text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}
