/** The part of a request that a refusal names, by place or by name. */

export interface Refusal {
  status: number;
  message: string;
  param: string | null;
  code: string | null;
}

/** What may stand between a list and a number in it: `[3]`, `.3.`, ` -> 3`, `",3`, `/3/`, ` at index 3`. */
const BETWEEN = String.raw`["'\`\])]*\s*(?:->|[.,:/[(#])\s*["']?`;
const IN_WORDS = String.raw`\s+(?:message\s+)?(?:at\s+)?(?:index\s+|position\s+|number\s+)?#?`;

function placeIn(list: string, inWords: string): RegExp {
  return new RegExp(String.raw`\b(?:(?:${list})${BETWEEN}|(?:${inWords})${IN_WORDS})(\d+)\b`, 'i');
}

// Gemini's endpoint has all tools of a request in the first of its own, `tools[0]`, which names none of them.
const TOOL = [
  placeIn('function_?declarations', 'function_?declarations'),
  new RegExp(
    `${placeIn('tools?|functions', 'tools|functions').source}(?!\\W{1,3}function_?declarations)`,
    'i',
  ),
];
const MESSAGE = [placeIn('messages?|input', 'messages?')];

function numberAt({ param, message }: Refusal, places: readonly RegExp[]): number | null {
  for (const text of [param ?? '', message]) {
    for (const place of places) {
      const number = place.exec(text)?.[1];
      if (number !== undefined) return Number(number);
    }
  }
  return null;
}

/** The index of the tool that is named by its place; null for none. */
export function toolPlace(refusal: Refusal): number | null {
  return numberAt(refusal, TOOL);
}

/** The index of the message that is named by its place; null for none. */
export function messagePlace(refusal: Refusal): number | null {
  return numberAt(refusal, MESSAGE);
}

/** Whether a text names something by a word that it sets off: in quotes, or after what it is. */
export function namesQuoted(text: string, name: string): boolean {
  const word = escaped(name);
  return new RegExp(
    `['"\`‘“]${word}['"\`’”]|\\b(?:tool|function)s?(?: name[d]?)?:? ${word}(?![\\w-])`,
    'i',
  ).test(text);
}

export function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** A name in the spellings of other languages: `reasoning_effort`, `reasoningEffort`, `reasoning effort`, `reasoning-effort`. */
export function spellings(name: string): RegExp {
  const parts = name.split('_').map(escaped);
  return new RegExp(`(?<![\\w.])${parts.join('[_ -]?')}(?![\\w])`, 'i');
}
