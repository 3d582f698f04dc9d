/** Text of PDFs, in a thread: a damaged or hostile one may take for ever, and only a thread can be ended. */
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { z } from 'zod';

const TIME_LIMIT_MS = 30_000;
const MAX_HEAP_MB = 512;
/** Of all that is unpacked, which no limit of a heap counts: 3 KB can be packed from gigabytes. */
const MAX_UNPACKED_BYTES = 512 << 20;

interface Wanted {
  /** Number of the first page, from 1. */
  first: number;
  most: number;
  maxBytes: number;
}

const answerSchema = z.union([
  z.object({ total: z.number(), texts: z.array(z.string()) }),
  z.object({ fault: z.string() }),
]);
export type PdfPages = Extract<z.output<typeof answerSchema>, { total: number }>;

/** What the thread does: it has no file of its own, so that it is the same in sources and in what is built. */
const WORK = `
const { parentPort, workerData: { library, data, first, most, maxBytes, maxUnpacked } } = require('node:worker_threads');
const TOO_MUCH = 'it unpacks to more than ' + (maxUnpacked >> 20) + ' MB';
let unpacked = 0;
const count = bytes => {
  unpacked += bytes;
  if (unpacked > maxUnpacked) throw new Error(TOO_MUCH);
};
globalThis.Uint8Array = new Proxy(Uint8Array, {
  construct(target, given) {
    if (typeof given[0] === 'number') count(given[0]);
    return Reflect.construct(target, given);
  },
});
globalThis.DecompressionStream = new Proxy(DecompressionStream, {
  construct(target, given) {
    const { readable, writable } = Reflect.construct(target, given);
    const counted = { transform: (chunk, to) => { count(chunk.byteLength); to.enqueue(chunk); } };
    return { readable: readable.pipeThrough(new TransformStream(counted)), writable };
  },
});
import(library).then(async ({ getDocumentProxy }) => {
  const pdf = await getDocumentProxy(data, { verbosity: 0 });
  const texts = [];
  let bytes = 0;
  for (let number = first; number <= pdf.numPages && texts.length < most; number += 1) {
    const { items } = await (await pdf.getPage(number)).getTextContent();
    const text = items.map(({ str = '', hasEOL }) => str + (hasEOL ? '\\n' : '')).join('').trim();
    bytes += Buffer.byteLength(text) + 30;
    if (bytes > maxBytes && texts.length > 0) break;
    texts.push(text.length > maxBytes ? text.slice(0, maxBytes) + '…' : text);
  }
  return { total: pdf.numPages, texts };
}).catch(error => ({ fault: String(error?.message ?? error) }))
  // The library leaves out what it can't read, and says nothing.
  .then(answer => parentPort.postMessage(unpacked > maxUnpacked ? { fault: TOO_MUCH } : answer));
`;

const LIBRARY = pathToFileURL(createRequire(import.meta.url).resolve('unpdf')).href;

/** @throws Error where it can't be read, takes too long, or the caller gave up. */
export async function pdfPages(data: Uint8Array, wanted: Wanted, signal: AbortSignal): Promise<PdfPages> {
  signal.throwIfAborted();
  const thread = new Worker(WORK, {
    eval: true,
    env: {},
    workerData: { library: LIBRARY, data, maxUnpacked: MAX_UNPACKED_BYTES, ...wanted },
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    stdout: true,
    stderr: true,
  });
  const ended = AbortSignal.any([signal, AbortSignal.timeout(TIME_LIMIT_MS)]);
  try {
    const answer = await new Promise<unknown>((resolve, reject) => {
      thread.once('message', resolve);
      thread.once('error', reject);
      thread.once('exit', () => reject(new Error('it ended without an answer')));
      ended.addEventListener('abort', () => reject(new Error('it takes too long')));
    });
    const read = answerSchema.parse(answer);
    if ('fault' in read) throw new Error(read.fault);
    return read;
  } catch (error) {
    signal.throwIfAborted();
    throw new Error(`The PDF can not be read: ${error instanceof Error ? error.message : String(error)}.`);
  } finally {
    await thread.terminate();
  }
}
