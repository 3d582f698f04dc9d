/** Extracts the text for people from a role's reply, without its JSON. It works while the reply is being written. Pure. */
import type { ReplyForm } from 'steersman/client';
import { isRoleForm, partsText, readParts } from 'steersman/rules';

/** Fields of role outputs with text for people; the first that is present counts. */
const SPOKEN = ['userMessage', 'summary', 'overallFeedback', 'message', 'question', 'reason'];

/**
 * Returns the text of a reply so far; null if it has no text yet. A reply that is not JSON is all text; of JSON, the
 * first field for people counts, even if it is incomplete. A role that must reply in JSON may write text before it, or
 * a fence around it: then that text comes first, followed by the JSON's text.
 */
export function spokenText(reply: string, form: ReplyForm = 'words'): string | null {
  const text = reply.trim();
  if (text === '') return null;
  const json = isJson(text) ? 0 : form === 'json' ? jsonStart(text) : -1;
  if (json < 0) return text;
  const content = json === 0 && !isRoleForm(text) ? readParts(text) : null;
  if (content !== null) return partsText(content);
  const parts = [text.slice(0, json).trim(), wordsIn(text.slice(json)) ?? ''];
  return parts.filter(part => part !== '').join('\n') || null;
}

function wordsIn(json: string): string | null {
  for (const field of SPOKEN) {
    const begin = new RegExp(`"${field}"\\s*:\\s*"`).exec(json);
    const found = begin && stringAt(json, begin.index + begin[0].length);
    if (found) return unescaped(found);
  }
  return null;
}

/** Returns the string that begins here, up to its quote or the end. A pattern would exhaust the stack on megabytes. */
function stringAt(json: string, from: number): string {
  let at = from;
  while (at < json.length && json[at] !== '"') at += json[at] === '\\' ? 2 : 1;
  return json.slice(from, at);
}

/** Returns the start of the JSON in a reply that may have text before it; -1 if it has no JSON yet. */
export function jsonStart(reply: string): number {
  return reply.search(/```|[{[]\s*["{]/);
}

/** True for a reply, or its beginning, that is JSON for the run and not text for a person. */
export function isJson(reply: string): boolean {
  return /^\s*(```(json\w*)?\s*)?(\{\s*["}]|\[\s*[{["\]])/i.test(reply);
}

/** True while the beginning of a reply could still become JSON. */
export function mayBecomeJson(beginning: string): boolean {
  return /^(?:`{1,3}\w*)?\s*[{[]?$/.test(beginning.trim());
}

/** Unescapes the content of a JSON string that may be cut anywhere. */
function unescaped(content: string): string {
  for (const cut of [0, 1, 2, 3, 4, 5, 6]) {
    try {
      const value: unknown = JSON.parse(`"${content.slice(0, content.length - cut).replace(/\n/g, '\\n')}"`);
      return String(value).trim();
    } catch {
      // The content ends within an escape sequence: try one character less.
    }
  }
  return content.trim();
}
