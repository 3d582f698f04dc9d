/** A small MCP server over a folder of Markdown pages, each with an address: a web for trying agents that search. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';

interface Page {
  url: string;
  title: string;
  text: string;
}

/** Reads a page, which begins with `url:` and `title:` between two lines `---`. */
function readPage(file: string): Page {
  const [, head = '', text = ''] = readFileSync(file, 'utf8').split(/^---\n/m);
  const fact = (name: string) => new RegExp(`^${name}: *(.*)$`, 'm').exec(head)?.[1]?.trim() ?? '';
  return { url: fact('url'), title: fact('title'), text: text.trim() };
}

const folder = process.argv[2] ?? join(import.meta.dirname, 'pages');
const pages = readdirSync(folder)
  .filter(name => name.endsWith('.md'))
  .map(name => readPage(join(folder, name)));

const MOST_FOUND = 5;

/** Counts the query's words on a page; words in its title count three times. */
function scoreOf({ title, text }: Page, words: readonly string[]): number {
  const count = (where: string, word: string) => where.toLowerCase().split(word).length - 1;
  return words.reduce((sum, word) => sum + 3 * count(title, word) + count(text, word), 0);
}

/** Returns the line of a page with most of the words. */
function lineOf(page: Page, words: readonly string[]): string {
  const lines = page.text.split('\n').filter(line => line.trim() !== '');
  const scored = lines.map(line => ({ line, score: scoreOf({ ...page, title: '', text: line }, words) }));
  return scored.sort((a, b) => b.score - a.score)[0]?.line ?? '';
}

const said = (text: string) => ({ content: [{ type: 'text' as const, text }] });
const readOnly = { annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: true } };

const server = new McpServer({ name: 'corpus', version: '1.0.0' });

server.registerTool(
  'web_search',
  {
    description: 'Searches the web: titles, addresses and a line of the pages that fit best.',
    inputSchema: { query: z.string().describe('A few words.') },
    ...readOnly,
  },
  ({ query }) => {
    const words = query.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? [];
    const found = pages
      .map(page => ({ page, score: scoreOf(page, words) }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score)
      .slice(0, MOST_FOUND);
    if (found.length === 0) return said(`Nothing was found for: ${query}`);
    return said(found.map(({ page }) => `${page.title}\n${page.url}\n${lineOf(page, words)}`).join('\n\n'));
  },
);

server.registerTool(
  'web_fetch',
  {
    description: 'Reads a page of the web by its address.',
    inputSchema: { url: z.string().describe('As the search gives it.') },
    ...readOnly,
  },
  ({ url }) => {
    const page = pages.find(candidate => candidate.url === url);
    if (page === undefined) return { ...said(`There is no page at ${url}.`), isError: true };
    return said(`# ${page.title}\n\n${page.text}`);
  },
);

await server.connect(new StdioServerTransport());
