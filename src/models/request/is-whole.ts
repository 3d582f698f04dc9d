/**
 * Tells whether an object in nearly valid JSON is complete. JSON repair closes all brackets that are open at the end of
 * a text, and so would turn the beginning of a call into a complete one.
 */

const ENDS: Readonly<Record<string, string>> = { '{': '}', '[': ']' };
const QUOTES: Readonly<Record<string, string>> = { '"': '"', "'": "'", '`': '`', '“': '”', '‘': '’' };
/** A single quote starts a string only after one of these characters; otherwise it is an apostrophe. */
const BEFORE_TEXT = /[{[,:+(]/;
/** Characters that may follow the object: the end of a fence, and surplus brackets. */
const AFTER = /^[\s;`}\])]*$/;

/**
 * True if the first object of the text is closed by its own bracket and omits nothing inside. In doubt it returns
 * false, and the model is asked again. Takes linear time.
 */
export function isWhole(text: string): boolean {
  const start = text.indexOf('{');
  if (start < 0) return false;
  const open: string[] = [];
  let last = '';
  for (let at = start; at < text.length; at += 1) {
    const sign = text[at] ?? '';
    if (/\s/.test(sign)) continue;
    // `…` or `...` stands for omitted text; a name without a value would become null.
    if (sign === '…' || text.startsWith('...', at)) return false;
    if (last === ':' && /[,}\]]/.test(sign)) return false;
    const end = skippedTo(text, at, last);
    if (end === null) return false;
    if (end > at) at = end;
    else if (ENDS[sign] !== undefined) open.push(ENDS[sign]);
    else if (sign === '}' || sign === ']') {
      if (open.pop() !== sign) return false;
      if (open.length === 0) return AFTER.test(text.slice(at + 1));
    }
    last = sign;
  }
  return false;
}

/** Returns the last index of the string or comment that begins here; `at` if none begins; null if it has no end. */
function skippedTo(text: string, at: number, last: string): number | null {
  const sign = text[at] ?? '';
  if (text.startsWith('/*', at)) return found(text.indexOf('*/', at + 2), 1);
  if (text.startsWith('//', at)) return found(text.indexOf('\n', at), 0);
  const quote = QUOTES[sign];
  if (quote === undefined || (sign !== '"' && !BEFORE_TEXT.test(last))) return at;
  for (let end = at + 1; end < text.length; end += 1) {
    if (text[end] === '\\') end += 1;
    else if (text[end] === quote && (sign === '"' || endsText(text, end + 1))) return end;
  }
  return null;
}

function found(at: number, more: number): number | null {
  return at < 0 ? null : at + more;
}

const NEXT_SIGN = /\s*([,:}\]+]|$)/y;

/** True if the quote ends the string: an apostrophe inside single quotes is followed by a letter. */
function endsText(text: string, at: number): boolean {
  NEXT_SIGN.lastIndex = at;
  return NEXT_SIGN.test(text);
}
