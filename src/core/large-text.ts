/** Long text as head and tail with a reference that the tool `read_result` pages (T17). */

const HEAD_CHARS = 6_000;
const TAIL_CHARS = 2_000;

/** The head and tail of `text`, with a note in between that names `ref`. */
export function headAndTail(text: string, ref: string): string {
  const left = text.length - HEAD_CHARS - TAIL_CHARS;
  if (left <= 0) return text;
  return `${text.slice(0, HEAD_CHARS).replace(/[\uD800-\uDBFF]$/, '')}\n[… ${left} characters left out: read them with read_result, ref ${ref} …]\n${text.slice(-TAIL_CHARS).replace(/^[\uDC00-\uDFFF]/, '')}`;
}
