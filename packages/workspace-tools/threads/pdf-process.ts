/** The process that extracts the text of a PDF's pages. */
import { readFileSync } from 'node:fs';
import { unzipSync } from 'fflate';
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

/** Limit for decompressed data, which heap limits do not cover: 3 KB can expand to gigabytes. */
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
    // The library ignores unreadable parts silently, so the limit is checked again.
    count(0);
  }
});

/** Provides character maps that fonts name but do not include (`scripts/cmaps.mjs`). Fonts are not needed for text. */
class NamedByFonts {
  async fetch({ filename }: { filename: string }): Promise<Uint8Array> {
    const zip = readFileSync(new URL('cmaps.zip', import.meta.url));
    const found = unzipSync(zip, { filter: ({ name }) => name === filename })[filename];
    if (found === undefined) throw new Error(`There is no ${filename}.`);
    return found;
  }
}

async function pagesOf({ data, first, most, maxBytes }: PdfData): Promise<PdfPages> {
  // Imported after the counting proxies are installed, so that the library uses them.
  const { getDocumentProxy } = await import('unpdf');
  const options = { verbosity: 0, BinaryDataFactory: NamedByFonts, useWorkerFetch: false };
  // The library does not accept a Buffer.
  const pdf = await getDocumentProxy(new Uint8Array(data), options);
  const texts: string[] = [];
  let bytes = 0;
  for (let number = first; number <= pdf.numPages && texts.length < most; number += 1) {
    const { items } = await (await pdf.getPage(number)).getTextContent();
    const read = items
      .map(item => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : ''))
      .join('')
      .trim();
    const text = readable(read);
    bytes += Buffer.byteLength(text) + 30;
    if (bytes > maxBytes && texts.length > 0) break;
    texts.push(text.length > maxBytes ? `${text.slice(0, maxBytes)}…` : text);
  }
  return { total: pdf.numPages, texts };
}

const NO_TEXT =
  '[No text can be read here: the page is empty or a picture, or its fonts do not say which characters they draw.]';
/** Characters that are only numbers within a font. */
const UNREADABLE = /[^\P{Cc}\n\t]|[\p{Co}\p{Cn}\ufffd]/gu;

/** Returns the text of a page, with a note about unreadable characters. */
function readable(text: string): string {
  if (text === '') return NO_TEXT;
  const unreadable = text.match(UNREADABLE)?.length ?? 0;
  if (unreadable === 0) return text;
  const all = [...text].filter(character => character.trim() !== '').length;
  const clean = text.replaceAll(UNREADABLE, '\ufffd').replaceAll(/\ufffd{2,}/g, '\ufffd');
  return `[${unreadable} of ${all} characters cannot be read: the fonts do not say which they are. "\ufffd" stands for them.]\n${clean}`;
}
