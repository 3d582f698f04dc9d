/** Finds elements in nearly valid XML, in bounded time even if tags are not closed. */
import { parseJson } from '../../base/json/json.js';

export interface OpenTag {
  /** The tag's name in lower case. */
  tag: string;
  written: string;
  attributes: string;
  start: number;
  bodyStart: number;
}

export interface Element extends OpenTag {
  inner: string;
  closed: boolean;
  end: number;
}

interface Body {
  text: string;
  closed: boolean;
  /** Index after the closing tag, if there is one. */
  end: number;
}

/** Bounded because each element may be searched to the end of the text; no sensible call has more. */
const MOST_ELEMENTS = 128;
const ANY_TAG = '[a-z_][\\w.-]*';
const CDATA = '<![CDATA[';

/** Returns the next of these tags from an index on; null if there is none. */
export function nextOpen(text: string, from: number, tags: readonly string[]): OpenTag | null {
  const open = new RegExp(`<(${tags.join('|')})((?:[\\s=/][^<>]*)?)>`, 'gi');
  open.lastIndex = from;
  const found = open.exec(text);
  return found && toTag(found);
}

function toTag(found: RegExpExecArray): OpenTag {
  const { 0: whole, 1: tag = '', 2: attributes = '', index } = found;
  return { tag: tag.toLowerCase(), written: tag, attributes, start: index, bodyStart: index + whole.length };
}

/**
 * Returns the content of an element: up to the closing tag, or if that is missing, up to the next tag of its kind or
 * the end of the text. With `mayBeJson`, JSON content ends with its last bracket, because its strings may contain tags.
 */
export function bodyOf(text: string, open: OpenTag, { mayBeJson }: { mayBeJson: boolean }): Body {
  const { tag, bodyStart } = open;
  if (open.attributes.trimEnd().endsWith('/')) return { text: '', closed: true, end: bodyStart };
  return (mayBeJson ? jsonBody(text, open) : null) ?? taggedBody(text, tag, bodyStart);
}

function jsonBody(text: string, { tag, bodyStart }: OpenTag): Body | null {
  const lead = /^\s*(?:```\w*\s*)?(?=\{)/.exec(text.slice(bodyStart, bodyStart + 200));
  if (!lead) return null;
  const start = bodyStart + lead[0].length;
  const end = jsonEnd(text, start);
  if (end === null || parseJson(text.slice(start, end)) === undefined) return null;
  const close = new RegExp(`\\s*(?:\`\`\`\\s*)?</${tag}\\s*>`, 'iy');
  close.lastIndex = end;
  // Complete JSON is a complete call, even without a closing tag.
  return { text: text.slice(start, end), closed: true, end: close.test(text) ? close.lastIndex : end };
}

function taggedBody(text: string, tag: string, start: number): Body {
  const marks = new RegExp(`<!\\[CDATA\\[|<(/?)${tag}(?:[\\s=/][^<>]*)?>`, 'gi');
  marks.lastIndex = start;
  let depth = 1;
  let nested: number | null = null;
  for (let found = marks.exec(text); found; found = marks.exec(text)) {
    if (found[1] === undefined) {
      const close = text.indexOf(']]>', marks.lastIndex);
      if (close < 0) break;
      marks.lastIndex = close + 3;
    } else if (found[1] === '/') {
      depth -= 1;
      if (depth === 0) return { text: text.slice(start, found.index), closed: true, end: marks.lastIndex };
    } else if (!found[0].endsWith('/>')) {
      depth += 1;
      nested ??= found.index;
    }
  }
  const end = nested ?? text.length;
  return { text: text.slice(start, end), closed: false, end };
}

/** Returns the top-level elements of a text. An unclosed element ends where the next one begins, except for those in `open`. */
export function elementsOf(text: string, open: readonly string[]): Element[] {
  const elements: Element[] = [];
  let from = 0;
  while (elements.length < MOST_ELEMENTS) {
    const next = nextOpen(text, from, [ANY_TAG]);
    if (!next) break;
    const isOpen = open.includes(next.tag);
    const body = bodyOf(text, next, { mayBeJson: isOpen });
    const following = body.closed || isOpen ? null : nextOpen(text, next.bodyStart, [ANY_TAG]);
    const end = following?.start ?? body.end;
    const inner = body.closed ? body.text : text.slice(next.bodyStart, end);
    elements.push({ ...next, inner, closed: body.closed, end });
    from = Math.max(end, next.bodyStart);
  }
  return elements;
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

/** Returns the text of an element; `isText` is true if CDATA marks it as text. */
export function textOfElement({ inner }: Pick<Element, 'inner'>): { text: string; isText: boolean } {
  if (!inner.includes(CDATA)) {
    const text = inner.replace(/^\r?\n/, '').replace(/\r?\n[ \t]*$/, '');
    return { text: decode(text), isText: false };
  }
  const parts: string[] = [];
  let from = 0;
  for (let at = inner.indexOf(CDATA); at >= 0; at = inner.indexOf(CDATA, from)) {
    parts.push(between(inner.slice(from, at)));
    const end = inner.indexOf(']]>', at);
    parts.push(inner.slice(at + CDATA.length, end < 0 ? undefined : end));
    from = end < 0 ? inner.length : end + 3;
  }
  return { text: [...parts, between(inner.slice(from))].join(''), isText: true };
}

/** Blanks around CDATA are only formatting. */
function between(text: string): string {
  return text.trim() === '' ? '' : decode(text);
}

function decode(text: string): string {
  return text.replace(/&(lt|gt|amp|quot|apos);/g, (whole, name: string) => ENTITIES[name] ?? whole);
}

/** Returns the index after the bracket that closes the object at `start`; null if it is not closed. */
export function jsonEnd(text: string, start: number): number | null {
  let depth = 0;
  let inString = false;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (inString) {
      if (character === '\\') at += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return null;
}
