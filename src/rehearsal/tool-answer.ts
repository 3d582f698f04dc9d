/** Reads a tool message back into how the call ended and what the tool said (`models/tool-result-text.ts`). */
import { REUSE_NOTE, REUSE_NOTE_ZH } from '../core/ledger.js';

export interface ToolAnswer {
  /** `again`: it did not run, or not to its end, and may be asked for again. */
  ending: 'ok' | 'failed' | 'again';
  /** What the tool said; of a call that did not run, what the run said. */
  text: string;
}

const MAY_BE_REPEATED =
  /^(Not run: skipped\.|Cancelled before it ended\.|Timed out\.|Not run: the tool is not available\.)/;

export function readToolAnswer(content: string): ToolAnswer {
  const inner = /^<tool_output tool="[^"\n]*">\n([\s\S]*)\n<\/tool_output>$/.exec(fromTag(content))?.[1];
  if (inner === undefined)
    return { ending: MAY_BE_REPEATED.test(content) ? 'again' : 'failed', text: content };
  const text = withoutNotes(inner.replace(/<(\/?)\\(?=tool_output\b)/gi, '<$1'));
  const note = content.startsWith('<tool_output') ? '' : content.slice(0, content.indexOf('\n'));
  if (MAY_BE_REPEATED.test(note)) return { ending: 'again', text };
  return { ending: note === '' || note.startsWith('Reused:') ? 'ok' : 'failed', text };
}

function fromTag(content: string): string {
  const at = content.indexOf('<tool_output');
  return at < 0 ? '' : content.slice(at);
}

/** The run puts these before results that are given again, or asked for again. */
function withoutNotes(text: string): string {
  const notes = [
    REUSE_NOTE,
    REUSE_NOTE_ZH,
    'Note: the same call with the same arguments has a result earlier in this conversation.',
  ];
  const note = notes.find(known => text.startsWith(`${known}\n`));
  return note === undefined ? text : text.slice(note.length + 1);
}
