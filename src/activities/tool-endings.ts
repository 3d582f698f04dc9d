/** Endings of calls that have no ordinary result. What a server said is content, never the run's own words. */
import { RPC, rpcEnding } from '../core/tools/effect.js';
import { unknownOutcomeNote } from '../core/tools/tool-notes.js';
import { fill, type Words } from '../core/words.js';
import type { CallToolResult } from './types.js';

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
