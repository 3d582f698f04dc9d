/** Finds JSON objects in text that holds other things too (G13). Linear time; only `parseJson` reads. */
import { isRecord, nestsTooDeep, parseJson } from './json.js';

/** Only so many of the last candidates are parsed: each that fails costs an exception. */
const MOST_CANDIDATES = 50;

/** The text as one JSON object, or null. */
export function parseRecord(text: string): Record<string, unknown> | null {
  if (!text.startsWith('{') || nestsTooDeep(text)) return null;
  const value = parseJson(text);
  return isRecord(value) ? value : null;
}

/** Objects that fill a fenced block, in order. */
export function fencedObjects(text: string): Record<string, unknown>[] {
  return parseLast(fencedBlocks(text));
}

/** Objects that lie in no other, in order. What is never closed hides what it holds. */
export function topLevelObjects(text: string): Record<string, unknown>[] {
  return parseLast(balancedSpans(text).map(([start, end]) => text.slice(start, end)));
}

function parseLast(candidates: readonly string[]): Record<string, unknown>[] {
  return candidates
    .slice(-MOST_CANDIDATES)
    .map(candidate => parseRecord(candidate.trim()))
    .filter(object => object !== null);
}

/** Contents of fenced blocks whose fences begin a line; an unclosed one goes to the end. */
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

/** What follows the brace that begins an object, also in JSON that needs mending: a key or a comment. */
const OBJECT_BEGINS = /\{\s*(?:["']|\/[/*]|[A-Za-z_$][\w$]*\s*:)/y;

/**
 * Start and end of balanced braces, in one pass. Other braces, as in "{this}", begin nothing; what can only be
 * mended begins too, or an object inside it would pass for the whole.
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

/** Index of the last character of the comment that begins here, or the same index where none does. */
function endOfComment(text: string, index: number): number {
  const mark = text[index + 1];
  if (mark !== '/' && mark !== '*') return index;
  const end = mark === '/' ? text.indexOf('\n', index) : text.indexOf('*/', index + 2) + 1;
  return end > index ? end : text.length;
}

/** Where the first object of a text begins, mendable ones included; -1 for none. */
export function firstObjectStart(text: string): number {
  for (let index = text.indexOf('{'); index >= 0; index = text.indexOf('{', index + 1)) {
    if (objectBegins(text, index)) return index;
  }
  return -1;
}
