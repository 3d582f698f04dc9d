/**
 * Whether an object that is nearly JSON ends by itself. Mending closes whatever is open at the end of a text, and so
 * makes a whole call out of the beginning of one.
 */

const ENDS: Readonly<Record<string, string>> = { '{': '}', '[': ']' };
const QUOTES: Readonly<Record<string, string>> = { '"': '"', "'": "'", '`': '`', '“': '”', '‘': '’' };
/** A single quote begins a text only behind one of these: else it is an apostrophe. */
const BEFORE_TEXT = /[{[,:+(]/;
/** Signs that may follow the object: the end of a fence, and brackets too many. */
const AFTER = /^[\s;`}\])]*$/;

/**
 * True where the first object of the text is closed by its own bracket, and leaves nothing out within. In doubt false:
 * the model is asked again. Linear.
 */
export function isWhole(text: string): boolean {
  const start = text.indexOf('{');
  if (start < 0) return false;
  const open: string[] = [];
  let last = '';
  for (let at = start; at < text.length; at += 1) {
    const sign = text[at] ?? '';
    if (/\s/.test(sign)) continue;
    // `…` or `...` stands for more of the kind; a name without a value would become null.
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

/** Index of the last sign of the text or comment that begins here; `at` where none does; null where it has no end. */
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

/** An apostrophe within single quotes has a letter behind it. */
function endsText(text: string, at: number): boolean {
  NEXT_SIGN.lastIndex = at;
  return NEXT_SIGN.test(text);
}
