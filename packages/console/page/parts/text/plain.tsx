/** Text of tools as it is. */
import { type CallInFlight, wordsOf } from '@steersman/view';
import { escapeUnseen, isRecord, nestsTooDeep, parseJson } from 'steersman/base';

/** A tool's own words: never Markdown, so that nothing in them passes for the page's. */
export function ToolContent({ text }: { text: string }) {
  return <pre class="tool-text">{pretty(text)}</pre>;
}

/** The end of what a call says to a person, and that there is more before it. */
export function lastWords(call: CallInFlight, most: number): string {
  const words = wordsOf(call) ?? '';
  return words.length > most || words === '' ? `…${words.slice(-most)}` : words;
}

/** JSON as it reads best, all else as it is; what is not seen is shown. */
export function pretty(text: string): string {
  const value = nestsTooDeep(text) ? undefined : parseJson(text);
  const lines = isRecord(value) || Array.isArray(value) ? JSON.stringify(value, null, 2) : text;
  return escapeUnseen(lines.length > MOST_TIMES * text.length + FEW_CHARS ? text : lines);
}

/** Deep JSON would be all indent: a few characters could fill the memory of the page. */
const MOST_TIMES = 10;
const FEW_CHARS = 1_000;
