/** Reads Markdown and lists of dependencies: titles, first paragraphs, headings, packages. */

export interface Heading {
  level: number;
  text: string;
  /** From 1. */
  line: number;
}

/** Headings of a Markdown text: `#` and underlined ones, not those in code blocks. */
export function headingsOf(markdown: string): Heading[] {
  const headings: Heading[] = [];
  const lines = withoutCode(markdown);
  for (const [index, line] of lines.entries()) {
    const [, marks = '', text] = /^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$/.exec(line) ?? [];
    if (text) headings.push({ level: marks.length, text, line: index + 1 });
    const above = lines[index - 1]?.trim() ?? '';
    const underline = /^ {0,3}(=+|-{2,})\s*$/.exec(line)?.[1];
    const isTitle =
      underline !== undefined &&
      above !== '' &&
      !/^([#>|*-]|\d+\.)/.test(above) &&
      (lines[index - 2]?.trim() ?? '') === '';
    if (isTitle) headings.push({ level: underline.startsWith('=') ? 1 : 2, text: above, line: index });
  }
  return headings;
}

/** Headings as a nested list with their lines; the highest level that there is begins at the margin. */
export function headingLines(headings: readonly Heading[]): string[] {
  const top = Math.min(...headings.map(({ level }) => level));
  return headings.map(({ level, text, line }) => `${'  '.repeat(level - top)}- ${text} (${line})`);
}

/** Lines with code blocks, comments and front matter blanked, so that line numbers stay. */
function withoutCode(markdown: string): string[] {
  let fence: string | null = null;
  const blanked = markdown.replace(/<!--[\s\S]*?-->/g, comment => comment.replace(/[^\n]/g, ''));
  const lines = blanked.split(/\r?\n/);
  const matterEnd = lines[0] === '---' ? lines.indexOf('---', 1) : -1;
  return lines.map((line, index) => {
    if (index <= matterEnd) return '';
    const mark = /^ {0,3}(```+|~~~+)/.exec(line)?.[1] ?? null;
    if (fence === null && mark !== null) fence = mark;
    else if (fence !== null) {
      if (mark?.startsWith(fence)) fence = null;
      return '';
    }
    return fence === null ? line : '';
  });
}

/** The first heading, and the first paragraphs of plain text: no badges, tables, lists or HTML. */
export function introOf(markdown: string, paragraphs = 2): { title: string | null; paragraphs: string[] } {
  const blocks = withoutCode(markdown)
    .join('\n')
    .split(/\n\s*\n/)
    .map(block => block.trim());
  const plain = blocks.map(plainText).filter(text => /\p{L}{2}/u.test(text));
  const headings = headingsOf(markdown);
  const inHtml = /<h1[^>]*>([\s\S]*?)<\/h1>/i.exec(markdown)?.[1];
  const title = headings.find(({ level }) => level === 1)?.text ?? inHtml ?? headings[0]?.text ?? null;
  return {
    title: title === null ? null : plainText(title) || title,
    paragraphs: plain.filter(text => text.length > 20 && !text.includes(' • ')).slice(0, paragraphs),
  };
}

function plainText(block: string): string {
  const isPlain = block !== '' && !/^(\||[-*+]\s|\d+\.\s|\[[^\]]+\]:|={3,}|-{3,})/.test(block);
  if (!isPlain) return '';
  return block
    .split('\n')
    .filter(line => !/^\s*(#|=+\s*$|-{3,}\s*$)/.test(line))
    .join(' ')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\[?!\[[^\]]*\]\([^)]*\)(\]\([^)]*\))?|\[?!\[[^\]]*\]\[[^\]]*\](\]\[?[^\])]*[\])])?/g, ' ')
    .replace(/\[([^\]]+)\]\([^)]*\)/g, '$1')
    .replace(/&nbsp;/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Packages that a manifest names, by group such as `dependencies`; null for what can not be read. */
export function dependenciesOf(path: string, text: string): Record<string, string[]> | null {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (name.endsWith('.json')) return fromJson(text);
  if (name === 'go.mod') return { require: fromGoMod(text) };
  if (name.endsWith('.toml')) return fromToml(text);
  return { requirements: text.split('\n').flatMap(line => /^\s*([A-Za-z][\w.-]*)/.exec(line)?.[1] ?? []) };
}

const JSON_GROUPS = [
  'dependencies',
  'devDependencies',
  'peerDependencies',
  'optionalDependencies',
  'require',
  'require-dev',
];

function fromJson(text: string): Record<string, string[]> | null {
  try {
    const manifest = JSON.parse(text) as Record<string, unknown>;
    const groups = JSON_GROUPS.filter(
      group => typeof manifest[group] === 'object' && manifest[group] !== null,
    );
    return Object.fromEntries(
      groups.map(group => [
        group,
        Object.entries(manifest[group] as object).map(([name, version]) => `${name} ${version}`),
      ]),
    );
  } catch {
    return null;
  }
}

function fromGoMod(text: string): string[] {
  const blocks = [...text.matchAll(/^require \(([\s\S]*?)^\)/gm)].flatMap(([, block = '']) =>
    block.split('\n'),
  );
  const single = [...text.matchAll(/^require ([^(\s].*)$/gm)].map(([, line = '']) => line);
  return [...single, ...blocks].map(line => line.replace(/\/\/.*/, '').trim()).filter(line => line !== '');
}

/** Tables such as `[dependencies]` of Cargo, and the arrays of pyproject; enough for lists of names. */
function fromToml(text: string): Record<string, string[]> {
  const groups: Record<string, string[]> = {};
  let table = '';
  for (const line of text.split('\n')) {
    table = /^\s*\[+([^\]]+)\]+/.exec(line)?.[1] ?? table;
    const entry = /^\s*"?([A-Za-z][\w.-]*)"?\s*=\s*["{]/.exec(line)?.[1];
    if (entry !== undefined && /dependencies$/.test(table)) groups[table] = [...(groups[table] ?? []), entry];
  }
  for (const [, body = ''] of text.matchAll(
    /^dependencies\s*=\s*\[([\s\S]*?)^\s*\]|^dependencies\s*=\s*\[(.*)\]/gm,
  )) {
    groups.dependencies = [
      ...(groups.dependencies ?? []),
      ...[...body.matchAll(/["']([^"']+)["']/g)].map(([, name = '']) => name),
    ];
  }
  return groups;
}
