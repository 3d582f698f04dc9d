/** The process of one PDF: the text of its pages. */
import { answerCall } from './call-process.js';

export interface PdfData {
  data: Uint8Array;
  /** Number of the first page, from 1. */
  first: number;
  most: number;
  maxBytes: number;
}

export interface PdfPages {
  total: number;
  texts: string[];
}

/** Of all that is unpacked, which no limit of a heap counts: 3 KB can be packed from gigabytes. */
const MAX_UNPACKED_BYTES = 512 << 20;
const TOO_MUCH = `it unpacks to more than ${MAX_UNPACKED_BYTES >> 20} MB`;
let unpacked = 0;

function count(bytes: number): void {
  unpacked += bytes;
  if (unpacked > MAX_UNPACKED_BYTES) throw new Error(TOO_MUCH);
}

globalThis.Uint8Array = new Proxy(Uint8Array, {
  construct(target, given) {
    if (typeof given[0] === 'number') count(given[0]);
    return Reflect.construct(target, given);
  },
});
globalThis.DecompressionStream = new Proxy(DecompressionStream, {
  construct(target, given) {
    const { readable, writable } = Reflect.construct(target, given);
    const counted = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, to) {
        count(chunk.byteLength);
        to.enqueue(chunk);
      },
    });
    return { readable: readable.pipeThrough(counted), writable };
  },
});

answerCall(async data => {
  try {
    return await pagesOf(data as PdfData);
  } finally {
    // The library leaves out what it can't read, and says nothing.
    count(0);
  }
});

async function pagesOf({ data, first, most, maxBytes }: PdfData): Promise<PdfPages> {
  // Only now: it has to find what counts.
  const { getDocumentProxy } = await import('unpdf');
  // It takes no Buffer, which this came as.
  const pdf = await getDocumentProxy(new Uint8Array(data), { verbosity: 0 });
  const texts: string[] = [];
  let bytes = 0;
  for (let number = first; number <= pdf.numPages && texts.length < most; number += 1) {
    const { items } = await (await pdf.getPage(number)).getTextContent();
    const text = items
      .map(item => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : ''))
      .join('')
      .trim();
    bytes += Buffer.byteLength(text) + 30;
    if (bytes > maxBytes && texts.length > 0) break;
    texts.push(text.length > maxBytes ? `${text.slice(0, maxBytes)}…` : text);
  }
  return { total: pdf.numPages, texts };
}
