/** Long text as head and tail with a reference that the tool `read_result` pages (T17). */

const HEAD_CHARS = 6_000;
const TAIL_CHARS = 2_000;

/** The head and tail of `text`, with a note in between that names `ref`. */
export function headAndTail(text: string, ref: string): string {
  const left = text.length - HEAD_CHARS - TAIL_CHARS;
  if (left <= 0) return text;
  const note = `[… ${left} characters left out: read them with read_result, ref ${ref} …]`;
  return `${headChars(text, HEAD_CHARS)}\n${note}\n${tailChars(text, TAIL_CHARS)}`;
}

/** At most so many characters from the start; never half a surrogate pair, which no encoding keeps. */
export function headChars(text: string, chars: number): string {
  return text.slice(0, chars).replace(/[\uD800-\uDBFF]$/, '');
}

function tailChars(text: string, chars: number): string {
  return text.slice(-chars).replace(/^[\uDC00-\uDFFF]/, '');
}
