/** What a person reads of a role's reply: its words, not its JSON. Works while the reply is being written. Pure. */

/** Fields of role outputs that speak to a person, the first that is there wins. */
const SPOKEN = ['userMessage', 'summary', 'overallFeedback', 'message', 'question', 'reason'];

/**
 * The words of a reply so far; null while there are none. Text that is no JSON is all words; of JSON, the first
 * field that is meant for people, also when the text ends in the middle of it.
 */
export function spokenText(reply: string): string | null {
  const text = reply.trimStart();
  if (text === '') return null;
  if (!isJson(text)) return reply.trim();
  for (const field of SPOKEN) {
    const found = new RegExp(`"${field}"\\s*:\\s*"((?:[^"\\\\]|\\\\[^])*)`).exec(text)?.[1];
    if (found) return unescaped(found);
  }
  return null;
}

/** True for a reply, or the beginning of one, that is JSON for the run and not words for a person. */
export function isJson(reply: string): boolean {
  return /^\s*(```(json)?\s*)?[{[]/.test(reply);
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
