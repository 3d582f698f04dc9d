/** Reads tool messages back (`core/tools/tool-result.ts`), and puts together what was too large for one. */

import { BUILT_IN_WORDS } from '../core/prompts/words.js';
import { ENDING_WORDS } from '../core/tools/tool-notes.js';

export interface ToolAnswer {
  /** `again`: it did not run, or not to its end, and may be asked for again. */
  ending: 'ok' | 'failed' | 'again';
  /** What the tool said; of a call that did not run, what the run said. */
  text: string;
  /** Of a text that was cut: by what reference the rest is read, and the first byte that is not shown. */
  cut: { ref: string; totalBytes: number; offset: number } | null;
  /** Of a page of `read_result`: the byte behind its last. */
  pageEnd: number | null;
}

/** How notes of these endings begin, in every language. */
function beginnings(...endings: (keyof typeof ENDING_WORDS)[]): string[] {
  const keys = endings.flatMap(ending => ENDING_WORDS[ending] ?? []);
  return Object.values(BUILT_IN_WORDS).flatMap(words => keys.map(key => words[key]));
}

const AGAIN = beginnings('skipped', 'cancelled', 'timed_out', 'unavailable');
const FAILED = beginnings('invalid', 'denied', 'outcome_unknown', 'session_lost');
const ERRORS = Object.values(BUILT_IN_WORDS).map(words => words.noteError);
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
  const failed = FAILED.some(words => note.startsWith(words)) || ERRORS.some(words => note.includes(words));
  return failed ? 'failed' : 'ok';
}

/** Arguments of a call of `read_result`. */
export interface PageCall {
  ref: string;
  offset: number;
  length: number;
}

/** A result as far as it is known: all of it, or its beginning, and the calls that bring the rest. */
export interface KnownResult {
  text: string;
  missing: PageCall[];
}

/** Largest page of `read_result`. */
const PAGE_BYTES = 15 * 1024;
/** A page may end this much earlier, at the end of a line: pages overlap by it, to be asked for all at once. */
const PAGE_SLACK_BYTES = 512;

/** Joins a result with the pages that were read of it. */
export function joinPages({ text, cut }: ToolAnswer, pages: readonly ToolAnswer[]): KnownResult {
  if (!cut) return { text, missing: [] };
  let known = Buffer.from(text).subarray(0, cut.offset);
  for (const page of pages.toSorted((a, b) => (a.pageEnd ?? 0) - (b.pageEnd ?? 0))) {
    const bytes = Buffer.from(page.text);
    const start = (page.pageEnd ?? 0) - bytes.length;
    if (start >= 0 && start <= known.length) known = Buffer.concat([known.subarray(0, start), bytes]);
  }
  const missing: PageCall[] = [];
  for (let offset = known.length; offset < cut.totalBytes; offset += PAGE_BYTES - PAGE_SLACK_BYTES) {
    const length = Math.max(4, Math.min(PAGE_BYTES, cut.totalBytes - offset));
    missing.push({ ref: cut.ref, offset, length });
  }
  return { text: known.toString('utf8'), missing };
}
