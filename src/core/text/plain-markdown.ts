/** Texts of others within Markdown: the Web UI shows them as they are, with no link, picture or heading of theirs. */

/** What makes links, pictures, tags, code and styles, and headings of a line. */
const SPECIAL = /[\\`*[\]<~]|(?<!\w)_|_(?!\w)|(?<=^\s*)#/g;

export function plainLine(text: string): string {
  return text.replace(/[\r\n]+/g, ' ').replace(SPECIAL, '\\$&');
}

/** Foreign text as a quotation that ends where it ends, so that nothing in it looks like what the run itself says. */
export function quotedBlock(text: string): string {
  let fence = '';
  const lines = text.split(/\r\n?|\n/).map(line => {
    const marks = /^ {0,3}(`{3,})(\w*)\s*$/.exec(line);
    const [, ticks = '', info = ''] = marks ?? [];
    if (fence !== '') {
      if (info === '' && ticks.length >= fence.length) fence = '';
      return line;
    }
    fence = ticks;
    return ticks === '' ? plainLine(line) : line;
  });
  if (fence !== '') lines.push(fence);
  return lines.map(line => `> ${line}`.trimEnd()).join('\n');
}
