/** Shows long text as head and tail, with a reference by which tools page it (T17). */
import { jsonBytes } from '../json/json.js';

const HEAD_CHARS = 6_000;
const TAIL_CHARS = 2_000;

/** Returns head and tail of `text` and a note that names `ref`, together at most `maxBytes` as JSON. */
export function headAndTail(text: string, ref: string, maxBytes = Number.POSITIVE_INFINITY): string {
  if (text.length <= HEAD_CHARS + TAIL_CHARS && jsonBytes(text) <= maxBytes) return text;
  for (let share = 1; ; share /= 2) {
    const shown = withNote(text, ref, Math.floor(HEAD_CHARS * share), Math.floor(TAIL_CHARS * share));
    if (jsonBytes(shown) <= maxBytes || share < 0.001) return shown;
  }
}

function withNote(text: string, ref: string, headLength: number, tailLength: number): string {
  const head = headChars(text, headLength);
  const tail = tailLength === 0 ? '' : tailChars(text, tailLength);
  const left = text.length - head.length - tail.length;
  return `${head}\n[… ${left} characters left out: read them by ref ${ref} …]\n${tail}`;
}

/** Returns at most `chars` characters from the start. It never ends with half a surrogate pair, which encoding would lose. */
export function headChars(text: string, chars: number): string {
  return text.slice(0, chars).replace(/[\uD800-\uDBFF]$/, '');
}

export function tailChars(text: string, chars: number): string {
  return text.slice(-chars).replace(/^[\uDC00-\uDFFF]/, '');
}
