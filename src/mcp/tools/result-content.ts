/** Converts an MCP server's answer to the content that a conversation stores: bounded, with the remainder in the blob store. */
import { isDeepStrictEqual } from 'node:util';
import { isRecord, parseJson } from '../../base/json/json.js';
import { CONTENT_BYTES, FAILURE_BYTES } from '../../base/sizes/bounds.js';
import { errorText } from '../../base/text/error-text.js';
import { cutText } from '../../base/text/fit.js';
import { plural } from '../../base/text/format.js';
import type { ToolContent } from '../../run/messages/message.js';
import type { BlobStore } from '../../shared/store/blob-store.js';
import { commandExcerpt } from '../../shared/store/command-excerpt.js';
import { cutHead, cutTail } from '../../shared/store/text-cut.js';
import { COMMAND_META } from './code-tools.js';
import type { AnswerPart, ToolAnswer } from './tool-answer.js';

/** Sizes for shortening large texts, in UTF-8 bytes. */
export interface ResultSizes {
  /** A text up to this size is kept whole. */
  wholeBytes: number;
  /** Sizes of the beginning and the end that are kept of a larger text. */
  headBytes: number;
  tailBytes: number;
}

export const DEFAULT_RESULT_SIZES: ResultSizes = { wholeBytes: 16_384, headBytes: 6_144, tailBytes: 2_048 };

/** Reserved for the note that replaces parts that did not fit. */
const REST_NOTE_BYTES = 1024;

/** How one run stores large texts. */
export interface ResultStore {
  /** Stores `data` whole and returns its reference. */
  keep(data: string | Uint8Array): Promise<string>;
  sizes: ResultSizes;
  /** Removes secrets from a text. Default: no secrets are known. */
  clean?(text: string): string;
}

/** Returns the keeper of one run; `runId` is its workflow id. */
export function resultStoreFor(
  blobs: BlobStore,
  runId: string,
  { sizes = DEFAULT_RESULT_SIZES, clean = text => text }: Partial<Pick<ResultStore, 'sizes' | 'clean'>> = {},
): ResultStore {
  return { keep: data => blobs.put(runId, data), sizes, clean };
}

type Answer = Pick<ToolAnswer, 'content' | 'structuredContent'>;

/**
 * Returns the content of a tool result, at most `CONTENT_BYTES` encoded: large texts as head and tail, pictures and
 * sound by reference, and structured content if it says more than the texts do (T16).
 */
export async function toToolContent(result: Answer, keeper: ResultStore): Promise<ToolContent[]> {
  const out: ToolContent[] = [];
  let budget = CONTENT_BYTES - REST_NOTE_BYTES;
  const parts: (AnswerPart | { type: 'json'; value: unknown })[] = [...result.content];
  if (result.structuredContent !== undefined && !isRepeatedInText(result)) {
    parts.push({ type: 'json', value: result.structuredContent });
  }
  for (const [index, part] of parts.entries()) {
    const block = await toBlock(part, keeper);
    const bytes = Buffer.byteLength(JSON.stringify(block));
    if (bytes > budget) {
      out.push(await remainingBlock(parts.slice(index), keeper));
      break;
    }
    budget -= bytes;
    out.push(block);
  }
  return out;
}

/**
 * Like `toToolContent`, but never throws: a full disk must not turn the result of a tool that has run into a failed
 * call, which might be repeated. `storeFault` explains why only the beginning of the texts is returned.
 */
export async function storedContent(
  result: Answer,
  keeper: ResultStore,
): Promise<{ content: ToolContent[]; storeFault?: string }> {
  try {
    return { content: await toToolContent(result, keeper) };
  } catch (error) {
    const storeFault = cutText(errorText(error), FAILURE_BYTES);
    return { content: contentWithoutStore(result, keeper.clean), storeFault };
  }
}

function contentWithoutStore({ content }: Answer, clean: ResultStore['clean'] = text => text): ToolContent[] {
  const texts = content.flatMap(part => (part.type === 'text' ? [part.text] : []));
  const head = cutHead(Buffer.from(clean(texts.join('\n'))), DEFAULT_RESULT_SIZES.headBytes).toString('utf8');
  return [{ type: 'text', text: head }];
}

async function toBlock(
  part: AnswerPart | { type: 'json'; value: unknown },
  keeper: ResultStore,
): Promise<ToolContent> {
  switch (part.type) {
    case 'text':
      return { type: 'text', ...(await boundText(part.text, keeper, isCommand(part))) };
    case 'image':
      return { type: 'image', mimeType: part.mimeType, ...(await storeBinary(part.data, keeper)) };
    case 'audio': {
      const { ref, totalBytes } = await storeBinary(part.data, keeper);
      // Sound becomes a resource of the run, with the reference as its address.
      return { type: 'resource', uri: ref, mimeType: part.mimeType, ref, totalBytes };
    }
    case 'resource':
      return resourceBlock(part.resource, keeper);
    case 'resource_link': {
      const text = [part.title ?? part.name, part.description].filter(Boolean).join(': ');
      return { type: 'resource', uri: part.uri, ...mime(part.mimeType), ...(await boundText(text, keeper)) };
    }
    case 'json': {
      const text = JSON.stringify(part.value, null, 1);
      if (Buffer.byteLength(text) <= keeper.sizes.wholeBytes) return part;
      return { type: 'text', ...(await boundText(text, keeper)) };
    }
  }
}

function isCommand({ _meta: meta }: Record<string, unknown>): boolean {
  return isRecord(meta) && meta[COMMAND_META] === true;
}

/** Stores binary data whole, by reference. */
async function storeBinary(data: string, keeper: ResultStore): Promise<{ ref: string; totalBytes: number }> {
  const bytes = Buffer.from(data, 'base64');
  return { ref: await keeper.keep(bytes), totalBytes: bytes.length };
}

async function resourceBlock(
  resource: { uri: string; mimeType?: string | undefined } & ({ text: string } | { blob: string }),
  keeper: ResultStore,
): Promise<ToolContent> {
  const base = { type: 'resource' as const, uri: resource.uri, ...mime(resource.mimeType) };
  const stored = 'text' in resource ? boundText(resource.text, keeper) : storeBinary(resource.blob, keeper);
  return { ...base, ...(await stored) };
}

function mime(mimeType: string | undefined): { mimeType?: string } {
  return mimeType === undefined ? {} : { mimeType };
}

/**
 * Returns a text up to `wholeBytes` (16 KB) unchanged. A larger one becomes head (6 KB) and tail (2 KB), cut at
 * characters or at nearby line ends, with the reference of the whole. The result's text explains how to page it.
 */
export async function boundText(
  text: string,
  keeper: ResultStore,
  ofCommand = false,
): Promise<{ text: string; ref?: string; totalBytes?: number; headBytes?: number }> {
  // The text is cleaned before it is cut and stored, because a page could otherwise begin inside a secret. Lone
  // surrogates, which have no UTF-8, are replaced here, so that sizes and stored bytes agree.
  const bytes = Buffer.from(keeper.clean?.(text) ?? text, 'utf8');
  if (bytes.length <= keeper.sizes.wholeBytes) return { text: bytes.toString('utf8') };
  const ref = await keeper.keep(bytes);
  if (ofCommand) return { ...commandExcerpt(bytes, keeper.sizes.wholeBytes), ref, totalBytes: bytes.length };
  const head = cutHead(bytes, keeper.sizes.headBytes);
  const tail = cutTail(bytes, keeper.sizes.tailBytes);
  const left = bytes.length - head.length - tail.length;
  return {
    text: `${head.toString('utf8').replace(/\n$/, '')}\n[… ${left} bytes left out …]\n${tail.toString('utf8')}`,
    ref,
    totalBytes: bytes.length,
    headBytes: head.length,
  };
}

async function remainingBlock(parts: unknown[], keeper: ResultStore): Promise<ToolContent> {
  const whole = JSON.stringify(parts);
  const ref = await keeper.keep(whole);
  return {
    type: 'text',
    text: `[… ${plural(parts.length, 'more part')} left out: JSON …]`,
    ref,
    totalBytes: Buffer.byteLength(whole),
    headBytes: 0,
  };
}

/**
 * True if the texts already contain the structured content, which servers repeat as text for older clients: the whole
 * value, or its only field (`result`, in which FastMCP wraps values that are not objects). A text contains it literally
 * or as JSON; a list may also be one text per item.
 */
function isRepeatedInText({ content, structuredContent }: Answer): boolean {
  const texts = content.flatMap(part => (part.type === 'text' ? [part.text] : []));
  const values = Object.values(structuredContent ?? {});
  const [only] = values;
  if (values.length === 1 && content.length > 0 && isDeepStrictEqual(only, content)) return true;
  const saysAll = (value: unknown) =>
    [...texts, texts.join('\n')].some(text => saysValue(text, value)) ||
    (Array.isArray(value) &&
      texts.length > 0 &&
      value.length === texts.length &&
      value.every((item, index) => saysValue(texts[index], item)));
  return saysAll(structuredContent) || (values.length === 1 && saysAll(only));
}

function saysValue(text: string | undefined, value: unknown): boolean {
  return text !== undefined && (text === value || isDeepStrictEqual(parseJson(text), value));
}
