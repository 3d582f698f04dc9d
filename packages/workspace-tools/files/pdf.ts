/** Extracts the text of PDFs. */
import { errorText } from 'steersman/base';
import { callProcess } from '../threads/call-process.js';
import type { PdfData, PdfPages } from '../threads/pdf-process.js';

const HOW = { script: 'pdf-process.js', timeoutMs: 30_000, heapMb: 512 };

/** @throws Error if the PDF can't be read, takes too long, or the call is aborted. */
export async function pdfPages(data: PdfData, signal: AbortSignal): Promise<PdfPages> {
  try {
    return (await callProcess({ ...HOW, data, signal })) as PdfPages;
  } catch (error) {
    signal.throwIfAborted();
    throw new Error(`The PDF cannot be read: ${errorText(error)}`);
  }
}
