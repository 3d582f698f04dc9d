/** What a person reads of a role's reply: its words, not its JSON. Works while the reply is being written. Pure. */
import type { ReplyForm } from 'steersman/client';
import { isRoleForm, partsText, readParts } from 'steersman/rules';

/** Fields of role outputs that speak to a person, the first that is there wins. */
const SPOKEN = ['userMessage', 'summary', 'overallFeedback', 'message', 'question', 'reason'];

/**
 * The words of a reply so far; null while there are none. Text that is no JSON is all words; of JSON, the first
 * field that is meant for people, also when the text ends in the middle of it. A role that is to reply in JSON may
 * say something before it, or put it in a fence: what stands before it, then the JSON's words.
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
    const found = new RegExp(`"${field}"\\s*:\\s*"((?:[^"\\\\]|\\\\[^])*)`).exec(json)?.[1];
    if (found) return unescaped(found);
  }
  return null;
}

/** Where JSON begins in a reply that may say something before it; -1 while there is none. */
export function jsonStart(reply: string): number {
  return reply.search(/```|[{[]\s*["{]/);
}

/** True for a reply, or the beginning of one, that is JSON for the run and not words for a person. */
export function isJson(reply: string): boolean {
  return /^\s*(```(json\w*)?\s*)?(\{\s*["}]|\[\s*[{["\]])/i.test(reply);
}

/** True while the beginning of a reply does not tell yet whether it is JSON. */
export function mayBecomeJson(beginning: string): boolean {
  return /^\s*(`{1,3}\w*\s*)?[{[]?\s*$/.test(beginning);
}

/** A JSON string's content, that may be cut anywhere. */
function unescaped(content: string): string {
  for (const cut of [0, 1, 2, 3, 4, 5, 6]) {
    try {
      const value: unknown = JSON.parse(`"${content.slice(0, content.length - cut).replace(/\n/g, '\\n')}"`);
      return String(value).trim();
    } catch {
      // Cut in the middle of an escape sequence: one character less.
    }
  }
  return content.trim();
}
