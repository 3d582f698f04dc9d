/** The tool that reads a page, a text or a PDF of the web. */

import { type CodeTool, defineTool } from 'steersman/mcp';
import { env } from 'steersman/shared';
import type { WorkspaceContext } from './files/context.js';
import { pdfPages } from './files/pdf.js';
import { type Answer, httpGet } from './http-get.js';
import { callProcess } from './threads/call-process.js';
import type { PageData } from './threads/page-process.js';

const TIMEOUT_MS = 10_000;
/** Enough for a large page as a tree; 20,000 nested elements would take unlimited time. */
const HEAP_MB = 256;
const MOST_CHARS = 200_000;
const MOST_PAGES = 50;
const MOST_ERROR_CHARS = 500;

export function fetchTool(_context: WorkspaceContext, timeoutMs = TIMEOUT_MS): CodeTool {
  return defineTool({
    name: 'fetch',
    description: 'Gets a web page as Markdown, the text of a PDF, or text and JSON as they are.',
    input: { type: 'object', properties: { url: { type: 'string' } }, required: ['url'] },
    readOnly: true,
    async run({ url }, { signal }) {
      const answer = await httpGet({ url: String(url), allowed: env.fetchPrivate(), signal });
      const text = await textOf(answer, signal, timeoutMs);
      const { status, type, cut } = answer;
      if (status < 200 || status > 299) throw new Error(`HTTP ${status}: ${text.slice(0, MOST_ERROR_CHARS)}`);
      const isCut = cut || text.length > MOST_CHARS;
      const head = `${answer.url} (${type || 'no type'}${isCut ? ', cut' : ''})`;
      return `${head}\n\n${text.slice(0, MOST_CHARS)}`;
    },
  });
}

async function textOf({ bytes, type, url }: Answer, signal: AbortSignal, timeoutMs: number): Promise<string> {
  const kind = (type.split(';')[0] ?? '').trim();
  if (/^(?:text\/html|application\/xhtml\+xml)$/i.test(kind)) {
    const data: PageData = { html: decoded(bytes, type), url };
    const given = { script: 'page-process.js', data, timeoutMs, heapMb: HEAP_MB, signal };
    return String(await callProcess(given));
  }
  if (/^(?:text\/|application\/(?:.*\+)?(?:json|xml|yaml|javascript|x-ndjson|toml))/i.test(kind))
    return decoded(bytes, type);
  if (/^application\/pdf$/i.test(kind)) {
    const wanted = { data: bytes, first: 1, most: MOST_PAGES, maxBytes: MOST_CHARS };
    const { total, texts } = await pdfPages(wanted, signal);
    return [...texts, ...(texts.length < total ? [`[… cut: ${total} pages]`] : [])].join('\n\n');
  }
  const text = new TextDecoder('utf-8').decode(bytes.subarray(0, 4_096));
  if (kind === '' && !/[\0\ufffd]/.test(text)) return decoded(bytes, type);
  throw new Error(`${url} is ${kind || 'of no type'}, ${bytes.length} bytes: not a text.`);
}

/** Decodes by the response's charset, else the page's own, else UTF-8. */
function decoded(bytes: Buffer, type: string): string {
  const stated =
    /charset=["']?([\w-]+)/i.exec(type) ??
    /<meta[^>]{0,200}charset=["']?([\w-]+)/i.exec(bytes.toString('latin1', 0, 2_048));
  try {
    return new TextDecoder(stated?.[1] ?? 'utf-8').decode(bytes);
  } catch {
    return new TextDecoder('utf-8').decode(bytes);
  }
}
