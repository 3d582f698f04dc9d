/**
 * Content for people (R1): texts, JSON, HTML and components, from a role's reply or a tool's result. All of it is data:
 * the user interface that draws it decides what a name means.
 */

import { isRecord, isText } from '../../base/json/json.js';
import { parseRecord } from '../../base/json/json-in-text.js';
import { headChars } from '../../base/text/large-text.js';
import type { ToolContent } from '../../run/messages/message.js';

export type ContentPart =
  | { type: 'text'; value: string }
  | { type: 'json'; value: unknown }
  | { type: 'webcomponent'; value: string }
  | { type: 'component'; component: string; props: Record<string, unknown> };

const MOST_PARTS = 100;
const NAME = /^[\p{L}\p{N}_.:-]{1,100}$/u;

/**
 * Returns the parts of a complete text that is `{ "content": [...] }`, or one component or piece of HTML, fenced or
 * not. Null for any other text, even if only one part is invalid: it is then shown unchanged.
 */
export function readParts(text: string): ContentPart[] | null {
  const json = parseRecord(withoutFence(text));
  if (json === null) return null;
  if (!Array.isArray(json.content)) {
    const part = json.type === 'component' || json.type === 'webcomponent' ? readPart(json) : null;
    return part === null ? null : [part];
  }
  if (json.content.length > MOST_PARTS) return null;
  const parts = json.content.map(readPart);
  const read = parts.filter(part => part !== null);
  return read.length > 0 && read.length === parts.length ? read : null;
}

/** Returns the parts of a tool's result, if any block has such content; null if there are none to draw. */
export function resultParts(content: readonly ToolContent[]): ContentPart[] | null {
  let isMade = false;
  const parts = content.flatMap((block): ContentPart[] => {
    const text = textOf(block);
    const made = readParts(text);
    isMade ||= made !== null;
    if (made !== null) return made;
    return [block.type === 'json' ? { type: 'json', value: block.value } : { type: 'text', value: text }];
  });
  return isMade ? parts : null;
}

export function holdsParts(content: readonly ToolContent[]): boolean {
  return resultParts(content) !== null;
}

function textOf(block: ToolContent): string {
  if (block.type === 'json') return JSON.stringify(block.value) ?? 'null';
  return ('text' in block ? block.text : undefined) ?? `[${block.type}]`;
}

export function withoutFence(text: string): string {
  return text
    .trim()
    .replace(/^`{3}\w*\s|`{3}$/g, '')
    .trim();
}

function readPart(value: unknown): ContentPart | null {
  if (!isRecord(value)) return null;
  switch (value.type) {
    case 'text':
    case 'webcomponent':
      return isText(value.value) ? { type: value.type, value: value.value } : null;
    case 'json':
      return value.value === undefined ? null : { type: 'json', value: value.value };
    case 'component': {
      const { type, component, props, ...fields } = value;
      if (!isText(component) || !NAME.test(component)) return null;
      // A role writes the fields next to the name, a tool in `props`.
      if (props !== undefined && !isRecord(props)) return null;
      return { type, component, props: props ?? fields };
    }
    default:
      return null;
  }
}

const MOST_CHARS = 2_000;
const MOST_HTML_CHARS = 20_000;

/** Returns the parts in words, for user interfaces that draw nothing: a component's name, then its props. */
export function partsText(parts: readonly ContentPart[]): string {
  return parts.map(partText).join('\n');
}

function partText(part: ContentPart): string {
  switch (part.type) {
    case 'text':
      return part.value;
    case 'json':
      return JSON.stringify(part.value);
    case 'webcomponent':
      return headChars(wordsOfHtml(part.value), MOST_CHARS);
    case 'component': {
      const words = wordsOf(part.props).join(', ');
      return words === '' ? `[${part.component}]` : `[${part.component}] ${headChars(words, MOST_CHARS)}`;
    }
  }
}

function wordsOfHtml(html: string): string {
  const text = headChars(html, MOST_HTML_CHARS);
  const words = text.replace(/<(script|style)\b[\s\S]*?<\/\1\s*>/gi, ' ').replace(/<[^>]*>?/g, ' ');
  return words.replace(/\s+/g, ' ').trim();
}

/** Fields whose text is clear without their name. */
const SPOKEN = new Set(['summary', 'title', 'name', 'text', 'description', 'message']);

/** Returns the readable words of a component, without handlers, which are names of code. */
function wordsOf(props: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(props).flatMap(([name, value]) => {
    if (/^on[A-Z]/.test(name) || value === null || value === '') return [];
    if (typeof value !== 'object') return [SPOKEN.has(name) ? String(value) : `${name}: ${String(value)}`];
    const inner = Array.isArray(value) ? value.map(entryWords) : [entryWords(value)];
    const notEmpty = inner.filter(words => words !== '');
    return notEmpty.length === 0 ? [] : [`${name}: ${notEmpty.join('; ')}`];
  });
}

function entryWords(value: unknown): string {
  if (Array.isArray(value)) return value.map(entryWords).join(' ');
  if (!isRecord(value)) return value === null ? '' : String(value);
  return wordsOf(value).join(', ');
}
