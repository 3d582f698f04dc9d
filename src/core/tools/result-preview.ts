/** A tool's result in a line, for events: of JSON what it holds, without its punctuation. Pure. */

import { isRecord } from '../json.js';
import { preview } from '../preview.js';

/** Larger results are shortened before they get here. */
const MOST_JSON_CHARS = 100_000;
const MOST_NAMES = 8;
/** Fields that name a thing in a list, the first that is there wins. */
const NAMES = ['name', 'path', 'title', 'id', 'key', 'uri'];

export function resultPreview(text: string, max?: number): string {
  return preview(outlineOf(text) ?? text, max);
}

/** Null for text that is no JSON, or holds nothing to tell. */
function outlineOf(text: string): string | null {
  const start = text.trimStart()[0];
  if ((start !== '[' && start !== '{') || text.length > MOST_JSON_CHARS) return null;
  try {
    return outline(JSON.parse(text));
  } catch {
    return null;
  }
}

function outline(value: unknown): string | null {
  if (Array.isArray(value)) return listOutline(value);
  if (!isRecord(value)) return null;
  const parts = Object.entries(value).map(([key, inner]) => `${key}: ${short(inner)}`);
  return parts.length === 0 ? null : parts.join(' · ');
}

function listOutline(values: readonly unknown[]): string {
  const count = `${values.length} ${values.length === 1 ? 'entry' : 'entries'}`;
  const names = values.slice(0, MOST_NAMES).map(nameOf);
  if (names.length === 0 || names.includes(null)) return count;
  return `${count}: ${names.join(', ')}${values.length > MOST_NAMES ? ', …' : ''}`;
}

function nameOf(value: unknown): string | null {
  if (!isRecord(value)) return Array.isArray(value) ? null : String(value);
  const name = NAMES.map(field => value[field]).find(
    found => typeof found === 'string' || typeof found === 'number',
  );
  return name === undefined ? null : String(name);
}

function short(value: unknown): string {
  if (Array.isArray(value)) return listOutline(value);
  return isRecord(value) ? `{${Object.keys(value).join(', ')}}` : String(value);
}
