/** Finds JSON objects in text that holds other things too (G13). Linear time; nothing but `JSON.parse` reads. */
import { isRecord } from './json.js';

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
  return fencedBlocks(text)
    .map(block => parseRecord(block.trim()))
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

/** Balanced objects outside any other, in one pass. A brace begins one only when a quote follows it. */
export function topLevelObjects(text: string): Record<string, unknown>[] {
  const objects: Record<string, unknown>[] = [];
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
      const object = depth === 0 ? parseRecord(text.slice(start, index + 1)) : null;
      if (object !== null) objects.push(object);
    }
  }
  return objects;
}

function quoteFollows(text: string, from: number): boolean {
  let index = from;
  while (text[index] === ' ' || text[index] === '\n' || text[index] === '\r' || text[index] === '\t')
    index += 1;
  return text[index] === '"';
}
