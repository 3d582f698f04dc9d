/** Endings of calls that have no ordinary result. What a server said is content, never the run's own words. */

import type { Words } from '../../core/prompts/words.js';
import { fill } from '../../core/prompts/words.js';
import type { ToolContent } from '../../core/state/message.js';
import { headChars } from '../../core/text/large-text.js';
import { RPC, rpcEnding } from '../../core/tools/effect.js';
import { unknownOutcomeNote, unreadablePartsNote } from '../../core/tools/tool-notes.js';
import {
  boundText,
  type Keeper,
  keeperFor,
  keptContent,
  type ResultSizes,
} from '../../mcp/result-content.js';
import type { ToolAnswer } from '../../mcp/tool-answer.js';
import type { BlobStore } from '../../shared/blobs/blob-store.js';
import type { CallToolResult } from '../types.js';

interface Refused {
  code: number | undefined;
  isListed: boolean;
  mayRepeat: boolean;
  tool: string;
  server: string;
}

/** What an error answer of a server means, by its code. */
export function refusal(
  words: Words,
  { code, tool, server, ...given }: Refused,
): Required<Pick<CallToolResult, 'ending' | 'note'>> {
  const ending = rpcEnding(code, given);
  const ofArguments = code === RPC.invalidParams;
  switch (ending) {
    case 'executed':
      return { ending, note: '' };
    case 'unavailable':
      return { ending, note: given.isListed ? words.noteRefusedTool : words.noteGone };
    case 'invalid':
      return { ending, note: words.noteRefusedArguments };
    case 'outcome_unknown':
      return {
        ending,
        note: unknownOutcomeNote(
          words,
          fill(ofArguments ? words.noteWhyRefused : words.noteWhyError, { tool, server }),
        ),
      };
  }
}

export interface Ended {
  /** Words of the server, as data. */
  said?: string;
  durationMs?: number;
}

export function ended(
  ending: CallToolResult['ending'],
  note: string,
  { said = '', durationMs = 0 }: Ended = {},
): CallToolResult {
  const content = said === '' ? [] : [{ type: 'text' as const, text: said }];
  return { ending, note, content, isError: true, durationMs };
}

export function unknown(words: Words, why: string, more: Ended): CallToolResult {
  return ended('outcome_unknown', unknownOutcomeNote(words, why), more);
}

// What the answers and last words of a tool server become: bounded, without secrets, in the words of the run.

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
