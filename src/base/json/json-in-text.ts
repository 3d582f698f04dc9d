/** Finds JSON objects in text that also contains other things (G13), in linear time; only `parseJson` parses. */
import { isRecord, nestsTooDeep, parseJson } from './json.js';

/** Only this many of the last candidates are parsed, because each failure costs an exception. */
const MOST_CANDIDATES = 50;

/** Returns the text as one JSON object, or null. */
export function parseRecord(text: string): Record<string, unknown> | null {
  if (!text.startsWith('{') || nestsTooDeep(text)) return null;
  const value = parseJson(text);
  return isRecord(value) ? value : null;
}

/** Returns the objects that fill a fenced block, in order. */
export function fencedObjects(text: string): Record<string, unknown>[] {
  return parseLast(fencedBlocks(text));
}

/** Returns the objects that are not inside another one, in order. An unclosed object hides its contents. */
export function topLevelObjects(text: string): Record<string, unknown>[] {
  return parseLast(balancedSpans(text).map(([start, end]) => text.slice(start, end)));
}

function parseLast(candidates: readonly string[]): Record<string, unknown>[] {
  return candidates
    .slice(-MOST_CANDIDATES)
    .map(candidate => parseRecord(candidate.trim()))
    .filter(object => object !== null);
}

/** Returns the contents of fenced blocks whose fences begin a line; an unclosed block extends to the end. */
function fencedBlocks(text: string): string[] {
  const blocks: string[] = [];
  let open: string[] | null = null;
  for (const line of text.split('\n')) {
    if (!line.trimStart().startsWith('```')) {
      open?.push(line);
    } else if (open === null) {
      open = [];
    } else {
      blocks.push(open.join('\n'));
      open = null;
    }
  }
  if (open !== null) blocks.push(open.join('\n'));
  return blocks;
}

/** Matches the beginning of an object, even in JSON that needs repair: a brace, then a key or a comment. */
const OBJECT_BEGINS = /\{\s*(?:["']|\/[/*]|[A-Za-z_$][\w$]*\s*:)/y;

/**
 * Returns the start and end of balanced braces, in one pass. Other braces, as in "{this}", are skipped. An object that
 * needs repair counts too; otherwise an object inside it would be taken for the whole.
 */
function balancedSpans(text: string): [start: number, end: number][] {
  const spans: [number, number][] = [];
  let start = 0;
  let depth = 0;
  let inString = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (depth === 0) {
      if (character !== '{' || !objectBegins(text, index)) continue;
      start = index;
      depth = 1;
    } else if (inString) {
      if (character === '\\') index += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') {
      inString = true;
    } else if (character === '/') {
      index = endOfComment(text, index);
    } else if (character === '{') {
      depth += 1;
    } else if (character === '}') {
      depth -= 1;
      if (depth === 0) spans.push([start, index + 1]);
    }
  }
  return spans;
}

function objectBegins(text: string, index: number): boolean {
  OBJECT_BEGINS.lastIndex = index;
  return OBJECT_BEGINS.test(text);
}

/** Returns the index of the last character of the comment that begins here, or `index` if none does. */
function endOfComment(text: string, index: number): number {
  const mark = text[index + 1];
  if (mark !== '/' && mark !== '*') return index;
  const end = mark === '/' ? text.indexOf('\n', index) : text.indexOf('*/', index + 2) + 1;
  return end > index ? end : text.length;
}

/** Returns the index of the first object of a text, even if it needs repair; -1 if there is none. */
export function firstObjectStart(text: string): number {
  for (let index = text.indexOf('{'); index >= 0; index = text.indexOf('{', index + 1)) {
    if (objectBegins(text, index)) return index;
  }
  return -1;
}
