/** Renders Markdown for terminals: `marked` parses it, and this module lays it out in columns. Pure. */

import { isCostly } from '@steersman/view';
import type { MarkedToken, Token, Tokens } from 'marked';
import { lexer } from 'marked';
import type { Colors } from 'steersman/shared';
import { terminalText } from 'steersman/shared';
import { fitLine, longLines, padText, widthOf, wrapText } from './layout.js';

interface Page {
  width: number;
  colors: Colors;
}

const MOST_COLUMNS = 100;
/** A table whose columns would be narrower than this is printed as a list. */
const LEAST_COLUMN = 8;

/** Returns lines of at most `width` columns (and 100, because longer lines are hard to read). Plain text is unchanged. */
export function markdownLines(text: string, { width, colors }: Page): string[] {
  const page = { width: Math.max(20, Math.min(width, MOST_COLUMNS)), colors };
  const clean = terminalText(text);
  const lines = markdownOf(clean, page) ?? longLines(clean, page.width);
  while (lines.at(-1) === '') lines.pop();
  return lines;
}

/** Returns null if the text nests deeper than the call stack, or is too slow to parse: it is then shown as plain text. */
function markdownOf(text: string, page: Page): string[] | null {
  if (isCostly(text)) return null;
  try {
    return blocks(lexer(text), page);
  } catch {
    return null;
  }
}

/** Returns blocks below each other, with an empty line between them. */
function blocks(tokens: readonly Token[], page: Page, gap = true): string[] {
  const lines: string[] = [];
  for (const token of tokens) {
    const block = blockLines(token as MarkedToken, page);
    if (block.length === 0) continue;
    if (gap && lines.length > 0) lines.push('');
    lines.push(...block);
  }
  return lines;
}

function blockLines(token: MarkedToken, page: Page): string[] {
  const { width, colors } = page;
  switch (token.type) {
    case 'space':
    case 'def':
    case 'checkbox':
      return [];
    case 'heading':
      return wrapText(headingText(token, colors), width);
    case 'code':
      return token.text.split('\n').map(line => `  ${colors.cyan(line)}`);
    case 'blockquote':
      return blocks(token.tokens, narrower(page, 2)).map(line => `${colors.dim('│')} ${line}`);
    case 'list':
      return listLines(token, page);
    case 'table':
      return tableLines(token, page);
    case 'hr':
      return [colors.dim('─'.repeat(Math.min(width, 40)))];
    case 'html':
      return paragraph(token.text, page);
    default:
      return paragraph('tokens' in token && token.tokens ? inline(token.tokens, colors) : token.raw, page);
  }
}

function narrower({ width, colors }: Page, by: number): Page {
  return { width: Math.max(10, width - by), colors };
}

function headingText({ depth, tokens }: Tokens.Heading, colors: Colors): string {
  const text = colors.bold(inline(tokens, colors));
  return depth === 1 ? colors.underline(text) : text;
}

function paragraph(text: string, { width }: Page): string[] {
  return text
    .replace(/\n+$/, '')
    .split('\n')
    .flatMap(line => wrapText(line, width));
}

function listLines(list: Tokens.List, page: Page): string[] {
  const first = typeof list.start === 'number' ? list.start : 1;
  return list.items.flatMap((item, index) => {
    const box = item.task ? `[${item.checked ? 'x' : ' '}] ` : '';
    const mark = `${list.ordered ? `${first + index}.` : '•'} ${box}`;
    const hang = ' '.repeat(widthOf(mark));
    const lines = blocks(item.tokens, narrower(page, hang.length), item.loose);
    return (lines.length > 0 ? lines : ['']).map((line, at) => ((at === 0 ? mark : hang) + line).trimEnd());
  });
}

/** Draws columns as wide as their cells, which wrap on a narrower page; a table that is too narrow becomes a list. */
function tableLines(table: Tokens.Table, page: Page): string[] {
  const { colors, width } = page;
  const rows = [table.header, ...table.rows].map(row => row.map(cell => inline(cell.tokens, colors)));
  const columns = table.header.map((_, at) => Math.max(...rows.map(row => widthOf(row[at] ?? ''))));
  const room = width - 2 * (columns.length - 1);
  if (room < LEAST_COLUMN * columns.length)
    return rows.slice(1).flatMap(row => wrapText(`• ${row.join(' · ')}`, width, '  '));
  const widths = shrunk(columns, room);
  const rowLines = (row: string[]) => {
    const cells = widths.map((column, at) =>
      longLines(row[at] ?? '', column).map(line => fitLine(line, column)),
    );
    const height = Math.max(...cells.map(({ length }) => length));
    return Array.from({ length: height }, (_, line) =>
      cells
        .map((cell, at) =>
          padText(cell[line] ?? '', widths[at] ?? 0, table.align[at] === 'right' ? 'right' : 'left'),
        )
        .join('  ')
        .trimEnd(),
    );
  };
  const [head = [], ...body] = rows;
  const rule = colors.dim(widths.map(column => '─'.repeat(column)).join('  '));
  return [...rowLines(head).map(line => colors.bold(line)), rule, ...body.flatMap(rowLines)];
}

/** The widest columns shrink first. */
function shrunk(columns: readonly number[], room: number): number[] {
  const widths = [...columns];
  for (let over = widths.reduce((sum, column) => sum + column, 0) - room; over > 0; over -= 1) {
    const widest = widths.indexOf(Math.max(...widths));
    widths[widest] = (widths[widest] ?? 1) - 1;
  }
  return widths;
}

function inline(tokens: readonly Token[], colors: Colors): string {
  return tokens.map(token => inlineText(token as MarkedToken, colors)).join('');
}

function inlineText(token: MarkedToken, colors: Colors): string {
  switch (token.type) {
    case 'strong':
      return colors.bold(inline(token.tokens, colors));
    case 'em':
      return colors.italic(inline(token.tokens, colors));
    case 'del':
      return colors.strikethrough(inline(token.tokens, colors));
    case 'codespan':
      return colors.isColorSupported ? colors.cyan(token.text) : `\`${token.text}\``;
    case 'br':
      return '\n';
    case 'link': {
      const text = inline(token.tokens, colors);
      return token.href === token.text || token.href === `mailto:${token.text}`
        ? text
        : `${text} (${colors.underline(token.href)})`;
    }
    case 'image':
      return `${token.text || 'image'} (${token.href})`;
    case 'text':
    case 'escape':
      return token.text;
    default:
      return token.raw;
  }
}
