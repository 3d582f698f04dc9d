/** Text of tools as it is. */
import { escapeUnseen } from '../../../../../core/text/unseen.js';

/** A tool's own words: never Markdown, so that nothing in them passes for the page's. */
export function ToolContent({ text }: { text: string }) {
  return <pre class="tool-text">{pretty(text)}</pre>;
}

/** The end of what is being written, and that there is more before it. */
export function lastOf(text: string, most: number): string {
  return text.length > most ? `…${text.slice(-most)}` : text;
}

/** JSON as it reads best, all else as it is; what is not seen is shown. */
export function pretty(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return escapeUnseen(JSON.stringify(value, null, 2));
  } catch {
    // It is text.
  }
  return escapeUnseen(text);
}
