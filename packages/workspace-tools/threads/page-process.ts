/** The process of a `fetch` call for a page: it extracts the readable part as Markdown. */
import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import TurndownService from 'turndown';
import { answerCall } from './call-process.js';

export interface PageData {
  html: string;
  url: string;
}

/** The members of an element that are used here. */
interface Part {
  nodeName: string;
  textContent: string | null;
  querySelector(selector: string): Part | null;
  querySelectorAll(selector: string): Iterable<Part>;
}

/** If the main part has less than this share of the text, the page is not an article and is returned completely. */
const LEAST_PART = 0.3;

answerCall(data => markdown(data as PageData));

function markdown({ html, url }: PageData): string {
  const { document } = parseHTML(html);
  for (const node of document.querySelectorAll('script,style,noscript,template,iframe,svg')) node.remove();
  for (const [name, tags] of [
    ['href', 'a[href]'],
    ['src', 'img[src]'],
  ] as const) {
    for (const node of document.querySelectorAll(tags)) {
      const to = node.getAttribute(name) ?? '';
      if (URL.canParse(to, url)) node.setAttribute(name, new URL(to, url).href);
    }
  }
  const title = document.title.trim();
  const whole = document.body?.innerHTML ?? '';
  const wholeLength = document.body?.textContent.trim().length ?? 0;
  // Readability changes the document.
  const article = new Readability(document).parse();
  const isArticle = article !== null && (article.textContent?.trim().length ?? 0) >= wholeLength * LEAST_PART;
  const text = turndown().turndown(
    parseHTML(`<html><body>${isArticle ? article.content : whole}`).document.body,
  );
  return title === '' || text.startsWith('# ') ? text : `# ${title}\n\n${text}`;
}

function turndown(): TurndownService {
  const service = new TurndownService({
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
    bulletListMarker: '-',
  });
  const isData = (node: Part) => node.nodeName === 'TABLE' && node.querySelector('table') === null;
  service.addRule('table', { filter: isData, replacement: (_content, node) => table(node) });
  // Embedded pictures are data URLs, which are useless here.
  service.addRule('data', {
    filter: node => node.nodeName === 'IMG' && /^data:/i.test(node.getAttribute('src') ?? ''),
    replacement: () => '',
  });
  return service;
}

function table(node: Part): string {
  const rows = [...node.querySelectorAll('tr')].map(row =>
    [...row.querySelectorAll('th,td')].map(cell => (cell.textContent ?? '').replace(/\s+/g, ' ').trim()),
  );
  const [first = [], ...others] = rows.filter(row => row.length > 0);
  const line = (cells: readonly string[]) =>
    `| ${cells.map(cell => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return `\n\n${[line(first), line(first.map(() => '---')), ...others.map(line)].join('\n')}\n\n`;
}
