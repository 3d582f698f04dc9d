/** The built-in tool that pages a large result. */

import { READ_RESULT } from '../../conversation/tool-result.js';
import type { ToolContent } from '../../run/messages/message.js';
import type { ToolDefinition } from '../../run/tools/tool.js';
import { WITHIN_THE_RUN } from '../../run/tools/workflow-tools.js';
import { SteersmanError } from '../process/errors.js';
import type { BlobStore } from './blob-store.js';
import { cutHead } from './text-cut.js';

const DEFAULT_PAGE_BYTES = 8 * 1024;
const MAX_PAGE_BYTES = 15 * 1024;
const MAX_CHAR_BYTES = 4;

export const readResultTool: ToolDefinition = {
  name: READ_RESULT,
  serverToolName: READ_RESULT,
  origin: { type: 'builtin' },
  description:
    'Reads a part of an earlier tool result that was too large to be shown whole. ' +
    'Pass the "ref" given with that result; go on with the offset that the last page names.',
  inputSchema: {
    type: 'object',
    properties: {
      ref: { type: 'string', description: 'The reference given with the large result, such as "blob:…"' },
      offset: { type: 'integer', minimum: 0, description: 'First byte to read. Default 0.' },
      length: {
        type: 'integer',
        minimum: 1,
        maximum: MAX_PAGE_BYTES,
        description: `Bytes to read. Default ${DEFAULT_PAGE_BYTES}.`,
      },
    },
    required: ['ref'],
    additionalProperties: false,
  },
  validation: 'strict',
  policy: { ...WITHIN_THE_RUN, concurrent: true },
};

/** A page in the form of a built-in tool's result. */
export interface ReadPage {
  note: string;
  content: ToolContent[];
  isError: boolean;
}

export async function readResult(
  blobs: Pick<BlobStore, 'read'>,
  runId: string,
  args: Record<string, unknown>,
): Promise<ReadPage> {
  const ref = typeof args.ref === 'string' ? args.ref : '';
  const offset = wholeNumber(args.offset, 0);
  const length = Math.min(wholeNumber(args.length, DEFAULT_PAGE_BYTES), MAX_PAGE_BYTES);
  // A few more bytes show whether the last character is complete.
  const range = { offset, length: length + MAX_CHAR_BYTES };
  const page = await blobs.read(runId, ref, range).catch((error: unknown) => {
    if (error instanceof SteersmanError) return 'unreadable' as const;
    throw error;
  });
  if (page === 'unreadable')
    return failed(
      `The stored result ${ref} cannot be read on this worker, which is a fault of its host. Try once more, since another worker may read it; else do without the rest, or call the tool that gave it again.`,
    );
  if (!page)
    return failed(
      `There is no stored result ${ref} in this conversation, or it is no longer there. Use a ref exactly as an earlier result gave it; if this is one, do without the rest, or call the tool that gave it again.`,
    );
  if (offset >= page.totalBytes)
    return failed(`The result ends at byte ${page.totalBytes}: offset ${offset} is behind it.`);
  const shown = cutHead(page.data, Math.max(length, MAX_CHAR_BYTES));
  const body = decodeText(shown);
  if (body === null) return failed('This result is binary, such as a picture: it cannot be read as text.');
  const next = offset + shown.length;
  const more = next < page.totalBytes ? `Go on with offset ${next}.` : 'This is the end.';
  const note = `Bytes ${offset} to ${next} of ${page.totalBytes}. ${more}`;
  return { note, content: [{ type: 'text', text: body }], isError: false };
}

/** Returns null if the bytes are not UTF-8. An offset within a character starts at the next one. */
function decodeText(bytes: Buffer): string | null {
  let start = 0;
  while (start < MAX_CHAR_BYTES && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes.subarray(start));
  } catch {
    return null;
  }
}

function wholeNumber(value: unknown, fallback: number): number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? Math.floor(value) : fallback;
}

function failed(note: string): ReadPage {
  return { note, content: [], isError: true };
}
