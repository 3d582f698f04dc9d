/** `read`: returns lines of a text, a picture, pages of a PDF, or content that the run has stored by reference. */
import type { FileHandle } from 'node:fs/promises';
import { contentText } from 'steersman/conversation';
import { type CodeTool, defineTool, Parts, type ToolContext } from 'steersman/mcp';
import { readResult } from 'steersman/shared';
import { openFile, type WorkspaceContext } from './context.js';
import { pdfPages } from './pdf.js';
import { readLines } from './read-lines.js';
import { headOf, MAX_ANSWER_BYTES, numbered, sizeText, wholeFile } from './text.js';

const MAX_PICTURE_BYTES = 5 * 1024 * 1024;
const MAX_PDF_BYTES = 50 * 1024 * 1024;
const MOST_LINES = 2_000;

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
      const { handle, shown, stats } = await openFile(context, path);
      try {
        const head = await headOf(handle);
        const mimeType = pictureType(head);
        if (mimeType !== null) return await picture(handle, shown, mimeType);
        if (head.subarray(0, 5).toString('latin1') === '%PDF-')
          return await pages(handle, shown, asked, call);
        const encoding = encodingOf(head);
        if (encoding === null)
          throw new Error(`${shown} is binary (${sizeText(stats.size)}): it has no text.`);
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
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? Math.floor(value) : null;
}

/** Reads like the run's own tool for references: by bytes, because stored content may be one long line. */
async function readReference(
  { readKept }: WorkspaceContext,
  ref: string,
  { offset, limit }: Asked,
  { runId }: ToolContext,
): Promise<string> {
  if (!readKept) throw new Error(`${ref}: nothing is kept by reference here.`);
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
  const first = Math.max(1, offset ?? 1);
  const wanted = { data, first, most: limit || Number.POSITIVE_INFINITY, maxBytes: MAX_ANSWER_BYTES };
  const { total, texts } = await pdfPages(wanted, signal);
  if (first > total) throw new Error(`${shown} has ${total} pages: there is no page ${first}.`);
  const last = first + texts.length - 1;
  const body = texts.map((text, index) => `[page ${first + index} of ${total}]\n${text}`);
  const more = last < total ? [`[Go on with offset ${last + 1}.]`] : [];
  return [...body, ...more].join('\n');
}

type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be';

/** Returns null if the file is not text. */
function encodingOf(head: Buffer): Encoding | null {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be';
  return head.includes(0) ? null : 'utf-8';
}

async function lines(
  handle: FileHandle,
  shown: string,
  { offset, limit, encoding, numbers }: Asked & { encoding: Encoding; numbers: boolean },
  { signal }: ToolContext,
): Promise<string> {
  const first = Math.max(1, offset ?? 1);
  const most = Math.min(limit || MOST_LINES, MOST_LINES);
  const wanted = { first, most, maxBytes: MAX_ANSWER_BYTES - (numbers ? most * 2 : 0), encoding };
  const found = await readLines(handle, wanted, signal);
  const size = sizeText((await handle.stat()).size);
  if (found.lines.length === 0) {
    if (found.total === 0) return `[${shown} is empty.]`;
    throw new Error(`${shown} has ${found.total} lines: there is no line ${first}.`);
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
