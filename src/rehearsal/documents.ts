/** Reads Markdown and lists of dependencies: titles, first paragraphs, headings, packages. */
import { isRecord } from '../core/text/json.js';

export interface Heading {
  level: number;
  text: string;
  /** From 1. */
  line: number;
}

/** Headings of a Markdown text: `#` and underlined ones, not those in code blocks. */
export function headingsOf(markdown: string): Heading[] {
  const lines = withoutCode(markdown);
  return lines.flatMap((line, index): Heading[] => {
    const [, marks = '', text] = /^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$/.exec(line) ?? [];
    if (text) return [{ level: marks.length, text, line: index + 1 }];
    const [before, above = ''] = [lines[index - 2]?.trim() ?? '', lines[index - 1]?.trim()];
    const underline = /^ {0,3}(=+|-{2,})\s*$/.exec(line)?.[1];
    const isTitle =
      underline !== undefined && before === '' && above !== '' && !/^([#>|*-]|\d+\.)/.test(above);
    return isTitle ? [{ level: underline.startsWith('=') ? 1 : 2, text: above, line: index }] : [];
  });
}

/** Headings as a nested list with their lines; the highest level that there is begins at the margin. */
export function headingLines(headings: readonly Heading[]): string[] {
  const top = Math.min(...headings.map(({ level }) => level));
  return headings.map(({ level, text, line }) => `${'  '.repeat(level - top)}- ${text} (${line})`);
}

/** Lines with code blocks, comments and front matter blanked, so that line numbers stay. */
function withoutCode(markdown: string): string[] {
  const blank = (text: string) => text.replace(/[^\n]/g, '');
  return markdown
    .replace(/\r/g, '')
    .replace(/^---\n[\s\S]*?\n---$/m, (matter, at: number) => (at === 0 ? blank(matter) : matter))
    .replace(/<!--[\s\S]*?-->/g, blank)
    .replace(/^ {0,3}(`{3,}|~{3,})[\s\S]*?(?:^ {0,3}\1.*$|(?![\s\S]))/gm, blank)
    .split('\n');
}

/** The first heading, and the first paragraphs of plain text: no badges, tables, lists or HTML. */
export function introOf(markdown: string, paragraphs = 2): { title: string | null; paragraphs: string[] } {
  const blocks = withoutCode(markdown)
    .join('\n')
    .split(/\n\s*\n/);
  const plain = blocks.map(block => plainText(block.trim()));
  const headings = headingsOf(markdown);
  const inHtml = /<h1[^>]*>([\s\S]*?)<\/h1>/i.exec(markdown)?.[1];
  const title = headings.find(({ level }) => level === 1)?.text ?? inHtml ?? headings[0]?.text ?? null;
  return {
    title: title === null ? null : plainText(title) || title,
    paragraphs: plain.filter(text => text.length > 20 && /\p{L}{2}/u.test(text)).slice(0, paragraphs),
  };
}

function plainText(block: string): string {
  if (/^(\||[-*+]\s|\d+\.\s|\[[^\]]+\]:)/.test(block)) return '';
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

/** The object of a JSON manifest; null for what can not be read. */
export function readManifest(text: string): Record<string, unknown> | null {
  try {
    const manifest: unknown = JSON.parse(text);
    return isRecord(manifest) ? manifest : null;
  } catch {
    return null;
  }
}

const JSON_GROUPS = /^((dev|peer|optional)?dependencies|require|require-dev)$/i;

/** Packages that a manifest names, by group such as `dependencies`. */
export function dependenciesOf(path: string, text: string): Record<string, string[]> {
  if (path.endsWith('.txt')) return { requirements: allOf(/^\s*([A-Za-z][\w.-]*)/gm, text) };
  if (path.endsWith('.mod')) return { require: allOf(/^(?:require|\t) *([\w./-]+ v\S+)(?!.*=>)/gm, text) };
  if (path.endsWith('.toml')) return fromToml(text);
  const groups = Object.entries(readManifest(text) ?? {}).filter(([group]) => JSON_GROUPS.test(group));
  return Object.fromEntries(
    groups.map(([group, packages]) => [
      group,
      Object.entries(isRecord(packages) ? packages : {}).map(([name, version]) => `${name} ${version}`),
    ]),
  );
}

/** Tables such as `[dependencies]`, and the array of `pyproject.toml`; enough for lists of names. */
function fromToml(text: string): Record<string, string[]> {
  const tables = text.matchAll(/^\[([\w.-]*dependencies)\]$([\s\S]*?)(?=^\[|(?![\s\S]))/gm);
  const array = /^dependencies\s*=\s*\[([\s\S]*?)\]\s*$/m.exec(text)?.[1];
  const groups = [...tables].map(([, group = '', body = '']) => [group, allOf(/^([\w-]+)\s*=/gm, body)]);
  if (array !== undefined) groups.push(['dependencies', allOf(/["']([^"']+)["']/g, array)]);
  return Object.fromEntries(groups) as Record<string, string[]>;
}

function allOf(pattern: RegExp, text: string): string[] {
  return [...text.matchAll(pattern)].map(([, found = '']) => found);
}
