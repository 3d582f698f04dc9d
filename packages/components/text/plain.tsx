/** Draws texts of tools unchanged. */
import { escapeUnseen, isRecord, nestsTooDeep, parseJson } from 'steersman/base';

/** A tool's text is never drawn as Markdown, so that it can't imitate the page. */
export function ToolContent({ text }: { text: string }) {
  return <pre class="tool-text">{pretty(text)}</pre>;
}

/** Formats JSON with indentation, and returns other text unchanged; hidden characters become visible. */
export function pretty(text: string): string {
  const value = nestsTooDeep(text) ? undefined : parseJson(text);
  const lines = isRecord(value) || Array.isArray(value) ? JSON.stringify(value, null, 2) : text;
  return escapeUnseen(lines.length > MOST_TIMES * text.length + FEW_CHARS ? text : lines);
}

/** Limits the growth by indentation: deep JSON of a few characters could fill the page's memory. */
const MOST_TIMES = 10;
const FEW_CHARS = 1_000;
