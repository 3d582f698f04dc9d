/** Endings of calls that have no ordinary result. What a server said is content, never the run's own words. */
import { proofOfRpc, RPC } from '../core/tools/effect.js';
import { unknownOutcomeNote } from '../core/tools/tool-notes.js';
import type { Words } from '../core/words.js';
import type { CallToolResult } from './types.js';

/** What an error answer of a server means, by its code and whether the server lists the tool. */
export function refusal(
  words: Words,
  code: number | undefined,
  isListed: boolean,
): Required<Pick<CallToolResult, 'ending' | 'note'>> {
  if (proofOfRpc(code) === null) return { ending: 'executed', note: '' };
  if (!isListed) return { ending: 'unavailable', note: words.noteGone };
  if (code === RPC.invalidParams) return { ending: 'invalid', note: words.noteRefusedArguments };
  return { ending: 'unavailable', note: words.noteRefusedTool };
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
