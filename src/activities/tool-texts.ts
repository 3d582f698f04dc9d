/** What the answers and last words of a tool server become: bounded, without secrets, in the words of the run. */
import type { BlobStore } from '../blobs/blob-store.js';
import { headChars } from '../core/large-text.js';
import type { ToolContent } from '../core/message.js';
import { unreadablePartsNote } from '../core/tools/tool-notes.js';
import type { Words } from '../core/words.js';
import { boundText, type Keeper, keeperFor, keptContent, type ResultSizes } from '../mcp/result-content.js';
import type { ToolAnswer } from '../mcp/tool-answer.js';
import type { CallToolResult } from './types.js';

/** Of a server's last words. */
const SERVER_WORDS_CHARS = 2_000;

export interface ToolTextDeps {
  blobs: BlobStore;
  /** How large texts are shortened. Default: 16 KB whole, else 6 KB and 2 KB. */
  sizes?: ResultSizes;
  /** Takes secrets out of texts before they are cut and stored. Default: none are known. */
  redact?: (text: string) => string;
}

export class ToolTexts {
  readonly #words: Words;
  readonly #redact: (text: string) => string;
  readonly #keeper: Keeper;

  /** `runId`: workflow id. */
  constructor({ blobs, sizes, redact = text => text }: ToolTextDeps, words: Words, runId: string) {
    this.#words = words;
    this.#redact = redact;
    this.#keeper = keeperFor(blobs, runId, { ...(sizes && { sizes }), clean: redact });
  }

  async resultOf(answer: ToolAnswer, durationMs: number): Promise<CallToolResult> {
    const { isError, unreadable } = answer;
    const note = unreadable.length > 0 ? { note: unreadablePartsNote(this.#words, unreadable) } : {};
    const kept = await keptContent(answer, this.#keeper);
    return { ending: 'executed', isError, durationMs, ...kept, ...note };
  }

  /** What a server answered in place of a result, of any length: kept like one. */
  async refusalOf(said: string): Promise<ToolContent> {
    const text = await boundText(said, this.#keeper).catch(() => ({ text: this.shortOf(said) }));
    return { type: 'text', ...text };
  }

  /** What a server said on its way out, for the conversation and for history: its beginning. */
  shortOf(said: string): string {
    return headChars(this.#redact(said), SERVER_WORDS_CHARS);
  }
}
