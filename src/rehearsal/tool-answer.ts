/** Reads a tool message back into how the call ended and what the tool said (`core/tools/tool-result.ts`). */
import { ENDING_WORDS, TOOL_ERROR_NOTE } from '../core/tools/tool-notes.js';

/** Where a text was cut, and by what reference the rest is read. */
export interface Cut {
  ref: string;
  totalBytes: number;
  /** First byte that is not shown. */
  offset: number;
}

export interface ToolAnswer {
  /** `again`: it did not run, or not to its end, and may be asked for again. */
  ending: 'ok' | 'failed' | 'again';
  /** What the tool said; of a call that did not run, what the run said. */
  text: string;
  cut: Cut | null;
  /** Of a page of `read_result`: the byte behind its last. */
  pageEnd: number | null;
}

const AGAIN = (['skipped', 'cancelled', 'timed_out', 'unavailable'] as const).map(
  ending => ENDING_WORDS[ending],
);
const FAILED = (['invalid', 'denied', 'outcome_unknown'] as const).map(ending => ENDING_WORDS[ending]);
const PAGE = /^Bytes \d+ to (\d+) of \d+\. /m;
const CUT =
  /^Shortened: not all of (\d+) bytes are shown\. Read on with read_result \{"ref":"([^"\n]+)","offset":(\d+)\}\.$/m;

export function readToolAnswer(content: string): ToolAnswer {
  const at = content.search(/^<tool_output tool="/m);
  const note = at < 0 ? content : content.slice(0, at);
  const ending = endingOf(note);
  const inner = /^<tool_output [^>\n]*>\n([\s\S]*)\n<\/tool_output>$/.exec(content.slice(at))?.[1];
  if (at < 0 || inner === undefined) return { ending, text: content, cut: null, pageEnd: null };
  const [, total, ref, offset] = CUT.exec(note) ?? [];
  const cut = ref === undefined ? null : { ref, totalBytes: Number(total), offset: Number(offset) };
  const page = PAGE.exec(note)?.[1];
  const pageEnd = page === undefined ? null : Number(page);
  return { ending, text: inner.replace(/&lt;(?=\/?tool_output)/g, '<'), cut, pageEnd };
}

function endingOf(note: string): ToolAnswer['ending'] {
  if (AGAIN.some(words => note.startsWith(words))) return 'again';
  const failed = FAILED.some(words => note.startsWith(words)) || note.includes(TOOL_ERROR_NOTE);
  return failed ? 'failed' : 'ok';
}
