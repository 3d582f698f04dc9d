/** Escapes foreign text within Markdown, so that the Web UI shows it literally: it can't add links, pictures or headings. */

/** Characters of links, pictures, tags, entities, tables, code and styles, and of headings, lists and rules. */
const SPECIAL =
  /[\\`*[\]<~&|]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|[-#+=>:](?<=^\s*.)|[.)](?<=^\s*\d{1,9}.)|:(?=\/\/)|(?<=\bwww)\.|@/giu;

export function plainLine(text: string): string {
  return text.replace(/[\r\n]+/g, ' ').replace(SPECIAL, '\\$&');
}

/** Returns foreign text as a quotation with the same lines, so that no part of it looks like the run's own words. */
export function quotedBlock(text: string): string {
  const lines = text.split(/\r\n?|\n/).map(line => {
    const [blanks = ''] = /^[ \t]*/.exec(line) ?? [];
    // Blanks before a line would turn it into code; two blanks after it end it.
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

/** Returns a code block that the text can't close. */
export function fenced(language: string, text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}
