/** Finds JSON objects in text that holds other things too (G13). Linear time; nothing but `JSON.parse` reads. */
import { isRecord } from './json.js';

/** Only so many of the last candidates are parsed: each that fails costs an exception. */
const MOST_CANDIDATES = 50;

/** The text as one JSON object, or null. */
export function parseRecord(text: string): Record<string, unknown> | null {
  if (!text.startsWith('{')) return null;
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
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

/** Start and end of balanced braces, in one pass. A brace begins an object only when a quote follows it. */
function balancedSpans(text: string): [start: number, end: number][] {
  const spans: [number, number][] = [];
  let start = 0;
  let depth = 0;
  let inString = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (depth === 0) {
      if (character !== '{' || !quoteFollows(text, index + 1)) continue;
      start = index;
      depth = 1;
    } else if (inString) {
      if (character === '\\') index += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') {
      inString = true;
    } else if (character === '{') {
      depth += 1;
    } else if (character === '}') {
      depth -= 1;
      if (depth === 0) spans.push([start, index + 1]);
    }
  }
  return spans;
}

function quoteFollows(text: string, from: number): boolean {
  let index = from;
  while (text[index] === ' ' || text[index] === '\n' || text[index] === '\r' || text[index] === '\t')
    index += 1;
  return text[index] === '"';
}
