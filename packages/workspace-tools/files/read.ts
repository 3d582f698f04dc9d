/** `read`: returns lines of a text, a picture, pages of a PDF, or content that the run has stored by reference. */
import type { FileHandle } from 'node:fs/promises';
import { plural } from 'steersman/base';
import { contentText } from 'steersman/conversation';
import { type CodeTool, defineTool, Parts, type ToolContext } from 'steersman/mcp';
import { readResult } from 'steersman/shared';
import { type Encoding, encodingOf } from '../text/encoding.js';
import { notebookText } from '../text/notebook.js';
import { openFile, resolvePath, type WorkspaceContext } from './context.js';
import { listFolder } from './list.js';
import { pdfPages } from './pdf.js';
import { readLines } from './read-lines.js';
import {
  BoundedLines,
  headOf,
  MAX_ANSWER_BYTES,
  MAX_TEXT_FILE_BYTES,
  numbered,
  sizeText,
  wholeFile,
} from './text.js';

const MAX_PICTURE_BYTES = 5 * 1024 * 1024;
const MAX_PDF_BYTES = 50 * 1024 * 1024;
const MOST_LINES = 2_000;
/** Nearly the size that a run shows in full: a lower limit would cut files that are only slightly longer. */
const MAX_LINES_BYTES = 16_000;

export function readTool(context: WorkspaceContext): CodeTool {
  return defineTool({
    name: 'read',
    description: 'Reads a text, picture or PDF, or what is kept by reference (blob:…).',
    input: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'Or a reference' },
        offset: { type: 'integer', description: 'First line, from 1; PDF: page; reference: byte' },
        limit: { type: 'integer' },
        numbers: { type: 'boolean', description: 'Line numbers' },
      },
      required: ['path'],
    },
    readOnly: true,
    async run(args, call) {
      const path = String(args.path);
      const asked = { offset: wholeNumber(args.offset), limit: wholeNumber(args.limit) };
      if (path.startsWith('blob:')) return readReference(context, path, asked, call);
      const place = await resolvePath(context, path);
      if (path !== '' && place.stats?.isDirectory()) return listFolder(context, { path }, call.signal);
      const { handle, shown, stats } = await openFile(context, path);
      try {
        const head = await headOf(handle);
        const mimeType = pictureType(head);
        if (mimeType !== null) return await picture(handle, shown, mimeType);
        if (head.subarray(0, 5).toString('latin1') === '%PDF-')
          return await pages(handle, shown, asked, call);
        // Reads all of a small file: a byte after the first page may decide its encoding, or that it is binary.
        const isSmall = stats.size <= MAX_TEXT_FILE_BYTES;
        const bytes = isSmall ? await wholeFile(handle, shown, MAX_TEXT_FILE_BYTES) : head;
        const encoding = encodingOf(bytes, isSmall);
        if (encoding === null)
          throw new Error(`${shown} is binary (${sizeText(stats.size)}): it has no text.`);
        const cells = isSmall && /\.ipynb$/i.test(shown) ? notebookText(bytes.toString('utf8')) : null;
        if (cells !== null) return notebook(cells, shown, asked, args.numbers === true);
        return await lines(handle, shown, { ...asked, encoding, numbers: args.numbers === true }, call);
      } finally {
        await handle.close();
      }
    },
  });
}

interface Asked {
  offset: number | null;
  limit: number | null;
}

function wholeNumber(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? Math.floor(value) : null;
}

/** Reads like the run's own tool for references: by bytes, because stored content may be one long line. */
async function readReference(
  { readKept }: WorkspaceContext,
  ref: string,
  { offset, limit }: Asked,
  { runId }: ToolContext,
): Promise<string> {
  if (!readKept) throw new Error(`${ref}: texts cannot be read by reference here.`);
  if (offset !== null && offset < 0)
    throw new Error(`offset ${offset}: bytes of a reference are counted from 0.`);
  const args = { ref, offset: offset ?? 0, ...(limit !== null && limit > 0 && { length: limit }) };
  const { note, content, isError } = await readResult({ read: readKept }, runId, args);
  if (isError) throw new Error(note);
  return `${contentText(content)}\n[${note}]`;
}

function pictureType(head: Buffer): string | null {
  const text = head.subarray(0, 12).toString('latin1');
  if (text.startsWith('\x89PNG\r\n')) return 'image/png';
  if (text.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (/^GIF\d\da/.test(text)) return 'image/gif';
  return text.startsWith('RIFF') && text.endsWith('WEBP') ? 'image/webp' : null;
}

async function picture(handle: FileHandle, shown: string, mimeType: string): Promise<Parts> {
  const data = await wholeFile(handle, `${shown} is a picture`, MAX_PICTURE_BYTES);
  return new Parts([
    { type: 'text', text: `${shown}: ${mimeType}, ${sizeText(data.length)}` },
    { type: 'image', data: data.toString('base64'), mimeType },
  ]);
}

async function pages(
  handle: FileHandle,
  shown: string,
  { offset, limit }: Asked,
  { signal }: ToolContext,
): Promise<string> {
  const data = await wholeFile(handle, `${shown} is a PDF`, MAX_PDF_BYTES);
  if (offset !== null && offset < 0) throw new Error(`offset ${offset}: pages are counted from 1.`);
  const first = Math.max(1, offset ?? 1);
  const wanted = { data, first, most: limit || Number.POSITIVE_INFINITY, maxBytes: MAX_ANSWER_BYTES };
  const { total, texts } = await pdfPages(wanted, signal);
  if (first > total) throw new Error(`${shown} has ${total} pages: there is no page ${first}.`);
  const last = first + texts.length - 1;
  const body = texts.map((text, index) => `[page ${first + index} of ${total}]\n${text}`);
  const more = last < total ? [`[Go on with offset ${last + 1}.]`] : [];
  return [...body, ...more].join('\n');
}

function notebook(text: string, shown: string, { offset, limit }: Asked, numbers: boolean): string {
  const lines = text.split('\n');
  const first = firstLine(offset, lines.length);
  const wanted = lines.slice(first - 1, limit ? first - 1 + limit : undefined);
  const out = new BoundedLines(MOST_LINES);
  const isWhole = (numbers ? numbered(wanted, first) : wanted).every(line => out.add(line));
  const next = first + out.lines.length;
  if (out.lines.length === 0)
    throw new Error(`${shown} has ${plural(lines.length, 'line')} of cells: there is no line ${first}.`);
  const more = isWhole && next > lines.length ? [] : [`[Go on with offset ${next}.]`];
  return [...out.lines, ...more].join('\n');
}

/** From 1 on; a negative offset counts from the end. */
function firstLine(offset: number | null, total: number): number {
  return Math.max(1, offset !== null && offset < 0 ? total + offset + 1 : (offset ?? 1));
}

async function fromEnd(
  handle: FileHandle,
  offset: number,
  encoding: Encoding,
  signal: AbortSignal,
): Promise<number> {
  const wanted = { first: Number.MAX_SAFE_INTEGER, most: 1, maxBytes: 1, encoding };
  const { total } = await readLines(handle, wanted, signal);
  if (total === null)
    throw new Error(`offset ${offset}: the file is too large to count its lines from the end.`);
  return firstLine(offset, total);
}

async function lines(
  handle: FileHandle,
  shown: string,
  { offset, limit, encoding, numbers }: Asked & { encoding: Encoding; numbers: boolean },
  { signal }: ToolContext,
): Promise<string> {
  const first =
    offset !== null && offset < 0
      ? await fromEnd(handle, offset, encoding, signal)
      : Math.max(1, offset ?? 1);
  const most = Math.min(limit || MOST_LINES, MOST_LINES);
  const wanted = { first, most, maxBytes: MAX_LINES_BYTES - (numbers ? most * 2 : 0), encoding };
  const found = await readLines(handle, wanted, signal);
  const size = sizeText((await handle.stat()).size);
  if (found.lines.length === 0) {
    if (found.total === 0) return `[${shown} is empty.]`;
    throw new Error(`${shown} has ${plural(found.total ?? 0, 'line')}: there is no line ${first}.`);
  }
  const last = first + found.lines.length - 1;
  const notes = [
    ...(found.hasMore || first > 1
      ? [`Lines ${first} to ${last} of ${found.total ?? `a file of ${size}`}.`]
      : []),
    ...(found.hasMore ? [`Go on with offset ${last + 1}.`] : []),
    ...(found.cutLines > 0
      ? [`${found.cutLines} long lines are cut, with "…": grep or compute sees all.`]
      : []),
    ...(found.isDamaged ? ['Not all of it is text in UTF-8: "\ufffd" stands for what is not.'] : []),
  ];
  const body = numbers ? numbered(found.lines, first) : found.lines;
  return [...body, ...(notes.length > 0 ? [`[${notes.join(' ')}]`] : [])].join('\n');
}
