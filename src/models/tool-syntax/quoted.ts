/** Finds quotations in a text. A call inside a quotation is only shown, and does not run. */

const FENCE = '```[\\s\\S]*?(?:```|$)';
const CODE = new RegExp(`${FENCE}|\`\`[^\\n]+?\`\`|\`[^\`\\n]+\``, 'g');

export type Range = readonly [from: number, to: number];

/** Returns the ranges of code fences and of code between backticks. */
export function codeIn(text: string): Range[] {
  return [...text.matchAll(CODE)].map(({ 0: code, index }) => [index, index + code.length] as const);
}

/** Returns the end of the quotation that contains the place `at`: code, or a line with `>`; null if it is not quoted. */
export function quoteAround(text: string, from: number, at: number): number | null {
  const code = codeIn(text.slice(from)).find(([start, end]) => at >= from + start && at < from + end);
  if (code) return from + code[1];
  const lineStart = Math.max(from, text.lastIndexOf('\n', at - 1) + 1);
  if (!/^[ \t]*>/.test(text.slice(lineStart, at))) return null;
  const lineEnd = text.indexOf('\n', at);
  return lineEnd < 0 ? text.length : lineEnd;
}
