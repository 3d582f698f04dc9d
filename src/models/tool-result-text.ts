/** A tool result as text for a model: how the call ended, then what the tool said, marked as data (K2). */
import type { ToolContent, ToolEnding, ToolResultBlock } from '../core/message.js';

const ENDING_NOTES: Record<ToolEnding, string | null> = {
  executed: null,
  reused: 'Reused: the result of an earlier identical call. The tool did not run again.',
  invalid: 'Not run: the arguments are invalid.',
  denied: 'Not run: permission was denied.',
  skipped: 'Not run: skipped.',
  cancelled: 'Cancelled before it ended.',
  timed_out: 'Timed out.',
  unavailable: 'Not run: the tool is not available.',
  outcome_unknown: 'Outcome unknown: it may or may not have had its effect. Check before you repeat it.',
};

/** Endings whose content the run wrote itself: instructions to follow, not data from outside. */
const OWN_WORDS: ReadonlySet<ToolEnding> = new Set(['invalid', 'denied', 'skipped']);

/**
 * Text of a tool message. What came from a tool stands between `<tool_output>` tags, which it can't
 * close or open itself, so a system prompt can say that everything between them is data.
 */
export function toolResultText(result: ToolResultBlock): string {
  const note = ENDING_NOTES[result.ending] ?? (result.isError ? 'The tool reported an error.' : null);
  const body = result.content.map(contentText).join('\n');
  const said = OWN_WORDS.has(result.ending) ? body : delimit(result.toolName, body);
  return [note, said].filter(part => part !== null && part !== '').join('\n');
}

function delimit(toolName: string, body: string): string {
  const safe = body.replace(/<(\/?)(?=tool_output\b)/gi, '<$1\\');
  return `<tool_output tool="${toolName.replace(/[^\w.-]/g, '_')}">\n${safe}\n</tool_output>`;
}

function contentText(content: ToolContent): string {
  switch (content.type) {
    case 'text':
      return withReference(content.text, content.ref, content.totalBytes);
    case 'json':
      return JSON.stringify(content.value) ?? 'null';
    case 'image':
      return `[image ${content.mimeType}, ${content.totalBytes} bytes, kept as ${content.ref}; not shown to you]`;
    case 'resource': {
      const head = `[resource ${content.uri}${content.mimeType === undefined ? '' : ` ${content.mimeType}`}]`;
      if (content.text === undefined) return withReference(head, content.ref, content.totalBytes);
      return `${head}\n${withReference(content.text, content.ref, content.totalBytes)}`;
    }
  }
}

function withReference(text: string, ref: string | undefined, totalBytes: number | undefined): string {
  if (ref === undefined || text.includes(ref)) return text;
  return `${text}\n[shortened: all ${totalBytes ?? '?'} bytes are kept as ${ref}]`;
}
